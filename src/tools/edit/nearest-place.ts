import type { YieldToLoop } from '../../base/timing/yield-to-loop.ts';
import { SPACE } from '../../base/text/ascii.ts';
import { lineBreakOf, endOfLine, lineStartsOf } from './line-starts.ts';
import { KIB } from '../../contracts/values/units.ts';

/** The part of a file that is most similar to a text that is not in it. */
export interface NearestPlace {
  /** The lines, each with its number and a tab in front. */
  readonly lines: string;
  /** True when each line of the text equals its line in the file except for white space. */
  readonly differsOnlyInWhiteSpace: boolean;
}

/** Largest number of lines that are shown. */
const MAX_LINES = 20;
/**
 * Largest number of lines that are shown before and after the nearest place, and before the first difference of a long
 * text.
 */
const LINES_AROUND = 3;
const MAX_LINE_CHARACTERS = 500;
/** Largest number of equal lines of the text, such as `}`, that are taken into account. */
const VOTES_PER_LINE = 8;
/** Share of the pairs of bytes that two lines must have in common to be similar. */
const MIN_LIKENESS = 0.5;
/** Number of lines after which other work of the event loop may run. */
const LINES_PER_PIECE = 1_024;
/** Number of bytes of a line that are compared. The rest of a longer line does not count. */
const MAX_COMPARED_BYTES = 64 * KIB;
const { imul } = Math;

/**
 * The text to look for: its lines without white space, by hash, and the pairs of successive bytes in its longest line.
 */
interface Sample {
  /** Hash of each line without its white space. */
  readonly hashes: readonly number[];
  readonly indicesByHash: ReadonlyMap<number, readonly number[]>;
  readonly longest: { readonly index: number; readonly size: number };
  /**
   * The pairs of successive bytes in the longest line. The element at `256 * first + second` is 1 for each of them, and
   * 0 for any other pair.
   */
  readonly pairs: Uint8Array;
}

/** One line without its white space. */
interface LineFacts {
  readonly hash: number;
  readonly size: number;
  /** Number of pairs of successive bytes that the sample's longest line has, too. */
  readonly sharedPairs: number;
}

/** A content in which several texts are looked for. */
export interface SearchedContent {
  readonly content: Buffer;
  /** The result of `lineStartsOf` for the content. */
  readonly starts: Uint32Array;
  readonly yieldToLoop: YieldToLoop;
}

/**
 * Finds the place of `content` that is most similar to `text`. Returns undefined if no line is similar. Each line votes
 * for the line where the text would begin: with twice its size if it equals a line of the text (white space ignored),
 * and with the number of shared byte pairs if it resembles the text's longest line.
 */
export const findNearestPlace = async (
  { content, starts, yieldToLoop }: SearchedContent,
  text: Buffer,
): Promise<NearestPlace | undefined> => {
  const sample = sampleOf(text);
  const votes = await countVotes({ content, starts, yieldToLoop }, sample);
  let best = 0;
  for (let line = 1; line < votes.length; line += 1) if ((votes[line] ?? 0) > (votes[best] ?? 0)) best = line;
  if ((votes[best] ?? 0) === 0) return undefined;
  return shownAt(content, starts, { best, sample });
};

const countVotes = async (
  { content, starts, yieldToLoop }: SearchedContent,
  sample: Sample,
): Promise<Int32Array> => {
  const votes = new Int32Array(starts.length);
  const vote = (line: number, weight: number): void => {
    if (line >= 0) votes[line] = (votes[line] ?? 0) + weight;
  };
  const { indicesByHash, longest, pairs } = sample;
  for (let line = 0; line < starts.length; line += 1) {
    if (line % LINES_PER_PIECE === 0) await yieldToLoop();
    const { hash, size, sharedPairs } = factsOf(
      content,
      starts[line] ?? 0,
      endOfLine(starts, line, content),
      pairs,
    );
    if (size === 0) continue;
    for (const index of indicesByHash.get(hash) ?? []) vote(line - index, 2 * size);
    if ((2 * sharedPairs) / (size + longest.size) >= MIN_LIKENESS) vote(line - longest.index, sharedPairs);
  }
  return votes;
};

/** Returns size, shared pairs and hash (FNV-1a) of the bytes from `from` to before `end`, without white space. */
const factsOf = (bytes: Buffer, from: number, end: number, pairs: Uint8Array): LineFacts => {
  const to = Math.min(end, from + MAX_COMPARED_BYTES);
  let hash = 0x811c9dc5;
  let size = 0;
  let sharedPairs = 0;
  let previous = 0;
  for (let i = from; i < to; i += 1) {
    const byte = bytes[i] ?? 0;
    if (byte <= SPACE) continue;
    hash = imul(hash ^ byte, 0x01000193);
    sharedPairs += pairs[previous * 256 + byte] ?? 0;
    previous = byte;
    size += 1;
  }
  return { hash, size, sharedPairs };
};

const sampleOf = (text: Buffer): Sample => {
  const starts = lineStartsOf(text);
  const noPairs = new Uint8Array(0);
  const hashes: number[] = [];
  const indicesByHash = new Map<number, number[]>();
  let longest = { index: 0, size: 0 };
  for (const [index, from] of starts.entries()) {
    const { hash, size } = factsOf(text, from, endOfLine(starts, index, text), noPairs);
    hashes.push(hash);
    if (size > longest.size) longest = { index, size };
    const indices = indicesByHash.get(hash) ?? [];
    if (size > 0 && indices.length < VOTES_PER_LINE) indicesByHash.set(hash, [...indices, index]);
  }
  const pairs = pairsOf(text, starts[longest.index] ?? 0, endOfLine(starts, longest.index, text));
  return { hashes, indicesByHash, longest, pairs };
};

const pairsOf = (bytes: Buffer, from: number, to: number): Uint8Array => {
  const pairs = new Uint8Array(256 * 256);
  let previous = 0;
  for (const byte of bytes.subarray(from, to)) {
    if (byte <= SPACE) continue;
    pairs[previous * 256 + byte] = 1;
    previous = byte;
  }
  return pairs;
};

interface BestPlace {
  /** Index of the line where the text would begin. */
  readonly best: number;
  readonly sample: Sample;
}

const shownAt = (content: Buffer, starts: Uint32Array, { best, sample }: BestPlace): NearestPlace => {
  const differing = firstDifference(content, starts, { best, sample });
  const { length } = sample.hashes;
  const before = Math.min(LINES_AROUND, Math.floor(Math.max(0, MAX_LINES - length) / 2));
  // A long text is shown only around the place where it differs.
  const skipped = Math.max(0, Math.min(differing - LINES_AROUND, length - MAX_LINES));
  const first = Math.max(0, best + skipped - before);
  const last = Math.min(starts.length, first + MAX_LINES, best + length + LINES_AROUND);
  const lineBreak = lineBreakOf(content);
  const lines = Array.from({ length: last - first }, (_, i) => {
    const line = first + i;
    const end = Math.min(endOfLine(starts, line, content), (starts[line] ?? 0) + 4 * MAX_LINE_CHARACTERS);
    return shownLine(line + 1, content.toString('utf8', starts[line], end), lineBreak);
  });
  return { lines: lines.join('\n'), differsOnlyInWhiteSpace: differing === length };
};

/**
 * Returns the index, in the text, of the first line that differs from the content by more than white space. Returns the
 * number of lines when none does.
 */
const firstDifference = (content: Buffer, starts: Uint32Array, { best, sample }: BestPlace): number => {
  const noPairs = new Uint8Array(0);
  const at = sample.hashes.findIndex((hash, index) => {
    const line = best + index;
    if (line >= starts.length) return true;
    return factsOf(content, starts[line] ?? 0, endOfLine(starts, line, content), noPairs).hash !== hash;
  });
  return at === -1 ? sample.hashes.length : at;
};

/**
 * Returns a line as it is shown, after its number and a tab. A CR at its end is shown unless every line break is CR LF,
 * since an edit must then contain it.
 */
const shownLine = (number: number, text: string, lineBreak: string): string => {
  const line = text.replace(lineBreak === '\n' ? /\n$/ : /\r?\n$/, '');
  const shown = line.length > MAX_LINE_CHARACTERS ? `${line.slice(0, MAX_LINE_CHARACTERS)}…` : line;
  return `${number}\t${shown.toWellFormed()}`;
};
