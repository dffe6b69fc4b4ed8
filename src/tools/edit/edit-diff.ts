import { FILE_HEADERS_ONLY, formatPatch, type StructuredPatch, structuredPatch } from 'diff';
import { CONTEXT_LINES, DIFF_MS, MAX_DIFF_CHARACTERS, sizeChangeText } from '../file-diff.ts';
import type { ByteReplacement } from './apply-edits.ts';
import { lineAt, endOfLine, lineStartsOf } from './line-starts.ts';

/** The effect of edits on a file, as a diff or, where that would be too much, in words. */
export interface EditDiff {
  /** Unified diff, or a line of words where that would be too long or take too long. */
  readonly diff: string;
  /** Number of added lines. This and `removed` are absent if the diff is in words. */
  readonly added?: number;
  readonly removed?: number;
}

/** Whole lines around places that lie near each other. */
interface Region {
  /** Indices, from 0, of its first line and of its last, inclusive. */
  readonly first: number;
  last: number;
  readonly replacements: ByteReplacement[];
}

type Hunk = StructuredPatch['hunks'][number];

/**
 * Makes the diff of edits whose places are known, in ascending order and without overlaps. Only the lines around the
 * places are compared, however large the file is.
 */
export const editDiff = (target: string, { before, after, replacements }: EditedContent): EditDiff => {
  const sizeChange = { diff: sizeChangeText(target, before.length, after.length) };
  const starts = lineStartsOf(before);
  const deadline = performance.now() + DIFF_MS;
  const hunks: Hunk[] = [];
  let shift = 0;
  let characters = 0;
  for (const region of regionsOf(before, starts, replacements)) {
    const [old, fresh] = textsOf(before, starts, region);
    characters += old.length + fresh.length;
    const timeout = deadline - performance.now();
    if (characters > MAX_DIFF_CHARACTERS || timeout <= 0) return sizeChange;
    const options = { context: CONTEXT_LINES, timeout };
    const patch = structuredPatch(target, target, old, fresh, undefined, undefined, options);
    if (patch === undefined) return sizeChange;
    hunks.push(...patch.hunks.map((hunk) => shifted(hunk, region.first, shift)));
    shift += patch.hunks.reduce((sum, { oldLines, newLines }) => sum + newLines - oldLines, 0);
  }
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const count = (mark: string) => lines.filter((line) => line.startsWith(mark)).length;
  const whole = {
    oldFileName: target,
    newFileName: target,
    oldHeader: undefined,
    newHeader: undefined,
    hunks,
  };
  return { diff: formatPatch(whole, FILE_HEADERS_ONLY), added: count('+'), removed: count('-') };
};

/** A content before and after edits, and the places that they changed. */
export interface EditedContent {
  readonly before: Buffer;
  readonly after: Buffer;
  readonly replacements: readonly ByteReplacement[];
}

const regionsOf = (
  before: Buffer,
  starts: Uint32Array,
  replacements: readonly ByteReplacement[],
): readonly Region[] => {
  const regions: Region[] = [];
  for (const replacement of replacements) {
    const first = Math.max(0, lineAt(starts, replacement.start) - CONTEXT_LINES);
    // Includes the line that continues after the place, which may have lost its beginning.
    const last = Math.min(starts.length - 1, lineAt(starts, replacement.end) + CONTEXT_LINES);
    const near = regions.at(-1);
    if (near === undefined || first > near.last + 1) {
      regions.push({ first, last, replacements: [replacement] });
    } else {
      near.last = Math.max(near.last, last);
      near.replacements.push(replacement);
    }
  }
  return regions;
};

/** Returns the text of a region before and after the edits. */
const textsOf = (
  before: Buffer,
  starts: Uint32Array,
  { first, last, replacements }: Region,
): readonly [string, string] => {
  const from = starts[first] ?? 0;
  const to = endOfLine(starts, last, before);
  const parts: Buffer[] = [];
  let copiedTo = from;
  for (const { start, end, with: fresh } of replacements) {
    parts.push(before.subarray(copiedTo, start), fresh);
    copiedTo = end;
  }
  const fresh = Buffer.concat([...parts, before.subarray(copiedTo, to)]);
  return [before.toString('utf8', from, to), fresh.toString('utf8')];
};

/**
 * Moves the hunk of a region to its place in the file. `lines` is the number of lines before the region, and `shift`
 * the number of lines that the edits before it have added.
 */
const shifted = (hunk: Hunk, lines: number, shift: number): Hunk => ({
  ...hunk,
  oldStart: hunk.oldStart + lines,
  newStart: hunk.newStart + lines + shift,
});
