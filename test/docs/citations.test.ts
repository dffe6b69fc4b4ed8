import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from '@jest/globals';

/* Whoever follows a link or a path in a page arrives somewhere: every page that moves or is renamed shows here. */

const PLACES = ['src', 'workflows', 'activities', 'worker', 'test', 'docs', 'examples'];

const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
}).split('\n');
const pages = tracked.filter((path) => path.endsWith('.md') && !path.startsWith('test/') && existsSync(path));

/** Text of a page without fenced code, which may show anything. */
const proseOf = (path: string): string => readFileSync(path, 'utf8').replace(/^```[\s\S]*?^```/gm, '');

/** The id that a Markdown heading gets in a rendered page. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');

const anchorsOf = (path: string): readonly string[] =>
  [...proseOf(path).matchAll(/^#{1,6} (.*)$/gm)].map(([, heading = '']) => anchorOf(heading));

const deadLinks = (path: string): readonly string[] =>
  [...proseOf(path).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => {
      const [file = '', anchor] = target.split('#');
      const place = file === '' ? path : normalize(join(dirname(path), file));
      if (!existsSync(place)) return true;
      return anchor !== undefined && place.endsWith('.md') && !anchorsOf(place).includes(anchor);
    });

const deadPaths = (path: string): readonly string[] =>
  [...proseOf(path).matchAll(/`([\w.-]+\/[\w./-]*[\w-])`/g)]
    .map(([, place = '']) => place)
    .filter((place) => PLACES.includes(place.split('/')[0] ?? '') && !existsSync(place));

const sources = tracked.filter(
  (path) => /^(src|workflows|activities|worker|examples|test)\/.*\.(ts|mjs)$/.test(path) && existsSync(path),
);

/** Lines of a source file that are comments, or the part of a line that is one. */
const commentsOf = (path: string): string =>
  readFileSync(path, 'utf8')
    .split('\n')
    .map((line) => /^\s*(?:\*|\/\/|\/\*).*|(?<=\s)\/\/ .*/.exec(line)?.[0] ?? '')
    .join('\n');

/** Pages, with the heading in quotes behind them, that a comment names and that are not there. Any other `a.md` is an example. */
const deadCitations = (path: string): readonly string[] =>
  [...commentsOf(path).matchAll(/(?<![\w/.<>-])([\w/-]+\.md)(?: "([^"\n]+)")?/g)]
    .filter(([, page = '']) => page.startsWith('docs/') || pages.includes(`docs/${page}`))
    .filter(([, page = '', heading]) => {
      const place = [page, join(dirname(path), page)].find((candidate) => existsSync(candidate));
      return place === undefined || (heading !== undefined && !anchorsOf(place).includes(anchorOf(heading)));
    })
    .map(([citation]) => citation);

it('comments cite pages and headings that exist', () => {
  const dead = sources.flatMap((path) => deadCitations(path).map((citation) => `${path}: ${citation}`));
  expect(dead).toEqual([]);
});

describe.each(pages)('%s', (path) => {
  it('links to pages and headings that exist', () => expect(deadLinks(path)).toEqual([]));
  it('names files and folders that exist', () => expect(deadPaths(path)).toEqual([]));
});
