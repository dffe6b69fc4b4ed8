/** Pages, and comments of the files that build and start containers, are free of idioms that readers stumble over. */
import { expect, it } from '@jest/globals';
import { IDIOMS, idiomsIn, type Idiom } from '../support/idioms.ts';
import { FILES, PAGES, sourceOf } from '../support/repository-files.ts';
import { commentsIn } from './citations.ts';

/** Idioms that only pages are free of so far. */
const PAGE_IDIOMS: readonly Idiom[] = [
  ...IDIOMS,
  [/\bFor whoever\b/, '“This page is for people who …”'],
  [/\banew\b/i, 'again'],
  [/\bwhat stands\b/i, 'what is there'],
  [/\bversion before\b/i, 'the previous version'],
  [/\btold of\b/i, 'told about, or reported'],
  [/\b(?:types|ones) neither\b/i, 'not even …'],
];

/**
 * Returns the prose of a page in its paragraphs, list items and table rows, each on one line: no code, quotes or
 * addresses.
 */
const partsOf = (page: string): readonly string[] =>
  page
    .replace(/^ *```[\s\S]*?^ *```/gm, '')
    .replace(/``.*?``|`[^`]*`|“[^”]*”|"[^"\n]*"/g, 'X')
    .replace(/\]\([^)]*\)/g, ']')
    .split(/\n\s*\n|\n(?=\s*(?:[-*|#]|\d+\.) )/)
    .map((part) => part.replace(/\s+/g, ' ').replace(/^ ?(?:[-*|#]+|\d+\.) /, ''));

const idiomsOf = (parts: readonly string[]): readonly string[] =>
  parts.flatMap((part) => idiomsIn(part, PAGE_IDIOMS).map((said) => `${said}: ${part}`));

const containerFiles = FILES.filter((path) => /^(?:Dockerfile|docker-compose.*\.yml)$/.test(path));

it.each(PAGES)('%s is free of them', (path) => {
  expect(idiomsOf(partsOf(sourceOf(path)))).toEqual([]);
});

it.each(containerFiles)('comments in %s are free of them', (path) => {
  expect(idiomsOf(commentsIn(sourceOf(path)).split('\n'))).toEqual([]);
});

it('finds them in paragraphs, lists and tables, however lines are broken, and not in code or quotes', () => {
  const page =
    'Keys\nalone do.\n\n- Who asks, waits.\n- “any more”, `alone`\n\n| a | made anew |\n\n```sh\nalone\n```\n[x](alone.md)';
  expect(idiomsOf(partsOf(page)).map((found) => found.split(': ')[0])).toEqual([
    '“alone”',
    '“Who asks”',
    '“anew”',
  ]);
  expect(PAGES).toContain('docs/decisions/README.md');
  expect(containerFiles).toHaveLength(3);
});
