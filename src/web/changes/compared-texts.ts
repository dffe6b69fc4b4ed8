/* Compares two texts of one file line by line, both whole or one of them still growing. All functions here are pure. */
import { createTwoFilesPatch, diffLines, FILE_HEADERS_ONLY } from 'diff';
import type { TurnFileResponse } from '../../contracts/http/file-api.ts';
import type { WriteSessionTarget } from '../../contracts/http/write-session-api.ts';

/** The content of a file before and after a change. Each is null if there was no file. */
export type TextPair = NonNullable<TurnFileResponse['texts']>;

/** Milliseconds that one comparison may take. The page does not react during that time. */
const COMPARISON_MS = 200;

/**
 * Returns the lines of a unified diff, with its file names. Returns undefined if that would take longer than
 * `withinMs`.
 */
export const unifiedDiffLines = (
  path: string,
  { before, after }: TextPair,
  withinMs = COMPARISON_MS,
): readonly string[] | undefined => {
  const options = { context: 3, timeout: withinMs, headerOptions: FILE_HEADERS_ONLY };
  const [oldName, newName] = [before, after].map((text) => (text === null ? '/dev/null' : path));
  const names = [oldName ?? path, newName ?? path] as const;
  return createTwoFilesPatch(...names, before ?? '', after ?? '', undefined, undefined, options)
    ?.replace(/\n$/, '')
    .split('\n');
};

/**
 * The existing file and the growing one, as far as they can be compared. `unreachedLines` is the number of lines at the
 * end of the existing file that the growing one has not reached yet. `texts.before` lacks these lines.
 */
export interface GrowingTexts {
  readonly texts: TextPair;
  readonly unreachedLines: number;
}

/**
 * Cuts the existing file at the place that the growing one has reached, because it is not known yet whether later lines
 * stay. A file to which text is appended is not cut. The line that is just being written does not count. Returns
 * undefined if that would take longer than `withinMs`.
 */
export const growingTexts = (
  { operation, text: before = null }: Pick<WriteSessionTarget, 'operation' | 'text'>,
  written: string,
  withinMs = COMPARISON_MS,
): GrowingTexts | undefined => {
  const wholeLines = written.slice(0, written.lastIndexOf('\n') + 1);
  if (before === null) return { texts: { before, after: wholeLines }, unreachedLines: 0 };
  if (operation === 'append') return { texts: { before, after: before + wholeLines }, unreachedLines: 0 };
  const parts = diffLines(before, wholeLines, { timeout: withinMs });
  if (parts === undefined) return undefined;
  const last = parts.at(-1);
  const removed = last?.added ? parts.at(-2) : last;
  if (!removed?.removed) return { texts: { before, after: wholeLines }, unreachedLines: 0 };
  // New lines at the end replace as many of the removed ones. The rest is unreached.
  const unreachedLines = Math.max(0, removed.count - (last?.added ? last.count : 0));
  return { texts: { before: withoutLastLines(before, unreachedLines), after: wholeLines }, unreachedLines };
};

const withoutLastLines = (text: string, count: number): string => {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  return lines.slice(0, lines.length - count).join('');
};
