import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';

/* The changelog has the form of https://keepachangelog.com/en/1.1.0/, which people and programs know how to read. */

const KINDS = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];
const headings = readFileSync('CHANGELOG.md', 'utf8').match(/^##+ .*$/gm) ?? [];

it('the changelog begins with what is not released, and every other section is a version with its day', () => {
  const [first, ...versions] = headings.filter((heading) => heading.startsWith('## '));
  expect(first).toBe('## [Unreleased]');
  for (const version of versions) expect(version).toMatch(/^## \[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d$/);
});

it('changes are of the six kinds, each once in a version and in their order', () => {
  const order: number[] = [];
  for (const heading of headings) {
    if (heading.startsWith('## ')) {
      order.length = 0;
    } else {
      order.push(KINDS.indexOf(heading.slice(4)));
      expect([heading, order]).toEqual([heading, [...new Set(order)].toSorted((a, b) => a - b)]);
      expect([heading, order.at(-1)]).not.toEqual([heading, -1]);
    }
  }
});
