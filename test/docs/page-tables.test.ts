/**
 * Compares names in the code with the pages that list them: a name that is added or removed has to change there, too.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { shownStatusSchema } from '../../src/contracts/turn/turn-facts.ts';
import { PAGES } from '../support/repository-files.ts';

/** Names of the same form that are not metrics: a role of Postgres, and an event of traces. */
const NO_METRICS = new Set(['orion_superuser', 'orion_response']);

const read = (path: string): string => readFileSync(path, 'utf8');

const sectionOf = (page: string, heading: string): string =>
  read(page).split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';

/** Returns the cells of each row of the tables of a text, without headings. */
const rowsOf = (text: string): readonly (readonly string[])[] =>
  [...text.matchAll(/^\| *(`.*|[a-z][a-z ]*\|.*) \|$/gm)].map(([, row = '']) =>
    row.split(/(?<!\\)\|/).map((cell) => cell.trim()),
  );

const codeIn = (text = ''): readonly string[] =>
  Array.from(text.matchAll(/`([^`]+)`/g), ([, name = '']) => name);

const namesIn = (text: string, pattern: RegExp): readonly string[] =>
  Array.from(text.matchAll(pattern), ([, name = '']) => name);

describe('docs/turns.md', () => {
  it('lists every patch of the workflow, which are those that stored histories have', () => {
    const histories = readdirSync('test/workflows/histories', { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.json'))
      .map((path) => read(join('test/workflows/histories', path)));
    const markers = histories.flatMap((history) =>
      namesIn(history, /"patch-data":\s*\{\s*"payloads":\s*\[\s*\{[^\]]*?"data":\s*"([^"]+)"/g),
    );
    const patches = markers.map(
      (data) => (JSON.parse(Buffer.from(data, 'base64').toString()) as { id: string }).id,
    );
    const listed = rowsOf(sectionOf('docs/turns.md', 'Patches of the workflow')).flatMap(([id]) =>
      codeIn(id),
    );
    expect(listed.toSorted()).toEqual([...new Set(patches)].toSorted());
    const code = readdirSync('workflows', { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => read(join('workflows', path)))
      .join('\n');
    expect(listed).toEqual(
      expect.arrayContaining(namesIn(code, /(?:patched\(|_PATCH = )'([^']+)'/g).slice()),
    );
  });
});

describe('docs/temporal.md', () => {
  const page = 'docs/temporal.md';

  it('lists every workflow', () => {
    const workflows = namesIn(read('workflows/index.ts'), /export \{ (\w+) \}/g);
    expect(
      rowsOf(sectionOf(page, 'What runs'))
        .flatMap(([name]) => codeIn(name))
        .toSorted(),
    ).toEqual(workflows.toSorted());
  });

  it('lists every status that a turn shows', () => {
    expect(codeIn(sectionOf(page, 'Lists'))).toEqual(expect.arrayContaining(shownStatusSchema.options));
  });

  it('lists every message of a workflow with its kind', () => {
    const messages = readdirSync('src/temporal').flatMap((file) =>
      Array.from(
        read(join('src/temporal', file)).matchAll(/= define(Signal|Query|Update)\b[^(]*\(\s*'(\w+)'/g),
        ([, kind = '', name = '']) => `${kind.toLowerCase()} ${name}`,
      ),
    );
    const listed = rowsOf(sectionOf(page, 'By hand')).flatMap(([names, kinds = '']) =>
      kinds.split(', ').flatMap((kind) => codeIn(names).map((name) => `${kind} ${name}`)),
    );
    expect(messages).toContain('update reply');
    expect(listed.toSorted()).toEqual(messages.toSorted());
  });
});

it('docs/storage.md has an entry for every table', () => {
  const [, schema = ''] = /interface DatabaseSchema \{([^}]*)\}/.exec(read('src/db/tables/schema.ts')) ?? [];
  const tables = namesIn(schema, /^ +(\w+):/gm);
  expect(tables).toContain('turns');
  const entries = namesIn(sectionOf('docs/storage.md', 'Postgres'), /^- \*\*`(\w+)`\*\* \(/gm);
  expect(entries.toSorted()).toEqual(tables.toSorted());
});

it('pages name only metrics that exist, and docs/operations.md lists each of them', () => {
  const ofGateway = namesIn(read('src/gateway/health/gateway-metrics.ts'), /'(orion_\w+)'/g);
  // The Temporal runtime adds `_total` to the names of counters, and the unit to those of durations.
  const ofWorkers = namesIn(read('worker/worker-metrics.ts'), /'(orion_\w+)'/g).map((name) =>
    name.endsWith('_duration') ? `${name}_seconds` : `${name}_total`,
  );
  const metrics = [...ofGateway, ...ofWorkers];
  const told = ['docs/notifications.md', 'docs/storage.md', 'docs/operations.md']
    .flatMap((page) => namesIn(read(page), /`(orion_\w+)`/g))
    .filter((name) => !NO_METRICS.has(name));
  expect(told).toContain('orion_notifications_total');
  expect(told.filter((name) => !metrics.includes(name))).toEqual([]);
  const listed = rowsOf(sectionOf('docs/operations.md', 'Monitoring')).flatMap(([name]) => codeIn(name));
  expect(listed.toSorted()).toEqual(metrics.toSorted());
});

/** Widest row of a table, in characters. What needs more is a list, which can be read and compared as source, too. */
const MAX_ROW_WIDTH = 250;

it('no table has a row that is too wide to read in the source', () => {
  const lines = PAGES.flatMap((path) =>
    read(path)
      .split('\n')
      .map((line, i) => ({ line, place: `${path}:${i + 1}` })),
  );
  const rows = lines.filter(({ line }) => /^ *\|/.test(line));
  expect(rows.length).toBeGreaterThan(200);
  expect(rows.filter(({ line }) => line.length > MAX_ROW_WIDTH).map(({ place }) => place)).toEqual([]);
});

describe('docs/words.md', () => {
  const items = read('docs/words.md').match(/^- (?:.|\n(?=  ))*/gm) ?? [];
  const entries = items.map((item) => {
    const [, words = '', meaning = '', place = ''] =
      /^- \*\*(.+)\*\*: (.+) \((.+)\)$/.exec(item.replace(/\s+/g, ' ')) ?? [];
    return [words, meaning, place] as const;
  });
  const words = entries.flatMap(([names]) => names.split(', '));

  it('has words, and every list item explains one', () => {
    expect(words).toContain('epoch');
    expect(words).toContain('touch');
    expect(items.filter((_item, i) => entries[i]?.includes('') !== false)).toEqual([]);
  });

  it('explains no word twice', () => {
    expect(words.filter((word, i) => words.indexOf(word) !== i)).toEqual([]);
  });

  it.each(entries)('shows where the code has %s', (_word, _meaning, place) => {
    const [name = '', path = ''] = codeIn(place);
    expect(read(path)).toMatch(new RegExp(`\\b${name}\\b`));
  });
});
