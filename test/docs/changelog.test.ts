/*
 * The changelog has the form of https://keepachangelog.com/en/1.1.0/, which people and programs know how to read. As
 * long as nothing is released, its sections are days instead of versions.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const KINDS = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];

interface Section {
  readonly title: string;
  readonly kinds: readonly string[];
  readonly entries: readonly string[];
}

/** Returns the sections of a changelog, each with its kinds of changes and its entries as one line each. */
const sectionsOf = (page: string): readonly Section[] =>
  page
    .split(/^## /m)
    .slice(1)
    .map((text) => ({
      title: text.slice(0, text.indexOf('\n')),
      kinds: Array.from(text.matchAll(/^### (.*)$/gm), ([, kind = '']) => kind),
      entries: Array.from(text.matchAll(/^ *- ((?:.|\n(?! *-|\n|#))*)/gm), ([, entry = '']) =>
        entry.trim().replace(/\s+/g, ' '),
      ),
    }));

/** Reports whether a text is a day of the calendar, such as `2026-11-27`. */
const isDay = (text: string): boolean => {
  const ms = Date.parse(`${text}T00:00Z`);
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
};

/** Returns the day of a section: that of a version, or the title itself. */
const dayOf = ({ title }: Section): string => title.replace(/^\[\d+\.\d+\.\d+\] - /, '');

/** Returns what is wrong with a list of sections; empty when nothing is. */
const faultsIn = ([first, ...dated]: readonly Section[]): readonly string[] => {
  const faults = first?.title === '[Unreleased]' ? [] : ['the first section is not [Unreleased]'];
  for (const [i, section] of dated.entries()) {
    const { title, kinds, entries } = section;
    const next = dated[i + 1];
    const order = kinds.map((kind) => KINDS.indexOf(kind));
    if (!isDay(dayOf(section))) faults.push(`${title} has no day`);
    if (next && dayOf(next) >= dayOf(section)) faults.push(`${next.title} is not older than ${title}`);
    if (order.includes(-1)) faults.push(`${title} has an unknown kind`);
    else if (order.some((kind, k) => kind <= (order[k - 1] ?? -1))) faults.push(`${title} mixes its kinds`);
    if (entries.length === 0) faults.push(`${title} is empty`);
  }
  const all = [first, ...dated].flatMap((section) => section?.entries ?? []);
  const repeated = all.filter((entry, i) => all.indexOf(entry) !== i);
  return [...faults, ...repeated.map((entry) => `repeated: ${entry}`)];
};

describe('the changelog', () => {
  const sections = sectionsOf(readFileSync('CHANGELOG.md', 'utf8'));

  it('has dated sections, newest first, with the kinds in their order and no entry twice', () => {
    expect(sections.length).toBeGreaterThan(3);
    expect(sections.flatMap(({ entries }) => entries).length).toBeGreaterThan(100);
    expect(faultsIn(sections)).toEqual([]);
  });
});

describe('the check finds', () => {
  const good = '## [Unreleased]\n\n## 2026-11-27\n\n### Added\n\n- a\n\n### Fixed\n\n- b\n  c\n';

  it.each([
    ['nothing in a good page', `${good}\n## 2026-11-26\n\n### Added\n\n- d\n`, []],
    [
      'a page without [Unreleased]',
      good.replace('[Unreleased]', 'x'),
      ['the first section is not [Unreleased]'],
    ],
    ['a day that does not exist', good.replace('11-27', '11-31'), ['2026-11-31 has no day']],
    ['a heading that is no day', good.replace('2026-11-27', 'November'), ['November has no day']],
    [
      'days in the wrong order',
      `${good}\n## 2026-11-28\n\n### Added\n\n- d\n`,
      ['2026-11-28 is not older than 2026-11-27'],
    ],
    ['an unknown kind', good.replace('Fixed', 'Mended'), ['2026-11-27 has an unknown kind']],
    ['kinds in another order', good.replace('Added', 'Security'), ['2026-11-27 mixes its kinds']],
    [
      'an entry that is repeated on another day',
      `${good}\n## [1.0.0] - 2026-11-20\n\n### Added\n\n- b c\n`,
      ['repeated: b c'],
    ],
    ['an empty day', `${good}\n## 2026-11-20\n`, ['2026-11-20 is empty']],
  ])('%s', (_case, page, faults) => expect(faultsIn(sectionsOf(page))).toEqual(faults));
});
