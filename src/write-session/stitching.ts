import { kmpIndexOf } from '../contracts/values/knuth-morris-pratt.ts';

/**
 * Number of lines at the end of its text that a model is shown when it has to continue (docs/write-sessions.md "In a
 * turn").
 */
const ANCHOR_LINES = 40;
/**
 * Number of whole lines that a continuation must repeat to overlap. If there are fewer, the file may repeat them
 * itself.
 */
const MIN_OVERLAP_LINES = 2;
/**
 * Number of different characters that a cut last line must have to be recognised at the beginning of a continuation. A
 * line such as `0,0,` may simply continue.
 */
const MIN_CUT_LINE = 4;
/** Number of lines at the end of the text that an echo of the anchor must contain. */
const MIN_ECHO_LINES = 10;
/** Number of characters of talk that may precede an echo of the anchor. */
const MAX_PREAMBLE_CHARACTERS = 500;
/** Number of lines at the beginning of the text by which a second start is recognised. */
const RESTART_LINES = 3;

/** A text that was joined with its continuation. */
export interface Stitched {
  readonly text: string;
  /**
   * The way the continuation was joined. `restarted` means that the model wrote the whole text again; the later text
   * counts.
   */
  readonly how: 'appended' | 'overlap' | 'echo' | 'restarted';
  /** Offset at which the continuation's own text begins in `text`. */
  readonly from: number;
}

/** Returns the last lines of a text, for the prompt of its continuation. */
export const tailToContinueFrom = (text: string): string => text.slice(lineStarts(text, ANCHOR_LINES)[0]);

/**
 * Joins a text that was cut with its continuation, without what the continuation repeats of the text's end. Only what
 * is clearly a repetition is removed. An exact continuation must come out whole, whatever the file repeats by itself
 * (`}`, equal rows, boilerplate).
 */
export const stitch = (written: string, continuation: string): Stitched => {
  const ends = lineStarts(written, ANCHOR_LINES).map((start) => written.slice(start));
  const overlap = ends.find((end) => continuation.startsWith(end) && isRecognisable(written, end));
  if (overlap !== undefined) return joined(written, continuation.slice(overlap.length), 'overlap');
  const echoed = afterEcho(written, continuation, ends);
  if (echoed !== undefined) return joined(written, echoed, 'echo');
  if (isRestart(written, continuation)) return restarted(written, continuation);
  return joined(written, continuation, 'appended');
};

const joined = (written: string, rest: string, how: Stitched['how']): Stitched => ({
  text: written + rest,
  how,
  from: written.length,
});

/**
 * Returns the text of a model that has started over. If the new text is only a beginning of the old one, the old one
 * stays.
 */
const restarted = (written: string, secondStart: string): Stitched => {
  const isShorterCopy = written.startsWith(secondStart);
  return {
    text: isShorterCopy ? written : secondStart,
    how: 'restarted',
    from: isShorterCopy ? written.length : 0,
  };
};

const isRecognisable = (written: string, end: string): boolean => {
  if (!end.includes('\n')) return new Set(end.replaceAll(/\s/g, '')).size >= MIN_CUT_LINE;
  return countTextLines(end) >= MIN_OVERLAP_LINES && occursOnlyAtEnd(written, end);
};

/** Returns the text after an echo of the anchor and the words before it. Returns undefined when there is no echo. */
const afterEcho = (written: string, continuation: string, ends: readonly string[]): string | undefined => {
  const echoLines = Math.min(MIN_ECHO_LINES, ends.length);
  for (const end of ends.slice(0, ends.length - echoLines + 1)) {
    const index = kmpIndexOf(continuation.slice(0, end.length + MAX_PREAMBLE_CHARACTERS), end);
    const isEcho = index >= 0 && countTextLines(end) >= MIN_OVERLAP_LINES && occursOnlyAtEnd(written, end);
    if (isEcho) return continuation.slice(index + end.length);
  }
  return undefined;
};

const isRestart = (written: string, continuation: string): boolean => {
  const lines = written.split('\n', RESTART_LINES + 1);
  if (lines.length <= RESTART_LINES) return false;
  const beginning = `${lines.slice(0, RESTART_LINES).join('\n')}\n`;
  const isDistinct = countTextLines(beginning) >= MIN_OVERLAP_LINES && kmpIndexOf(written, beginning, 1) < 0;
  return isDistinct && continuation.startsWith(beginning);
};

const countTextLines = (text: string): number => text.split('\n').filter((line) => line.trim() !== '').length;

const occursOnlyAtEnd = (text: string, end: string): boolean =>
  kmpIndexOf(text, end) === text.length - end.length;

/** Returns the offsets at which the last `count` lines begin, the earliest first. */
const lineStarts = (text: string, count: number): number[] => {
  const starts: number[] = [];
  let end = text.endsWith('\n') ? text.length - 1 : text.length;
  while (starts.length < count && (starts.length === 0 || end >= 0)) {
    const start = end <= 0 ? 0 : text.lastIndexOf('\n', end - 1) + 1;
    starts.unshift(start);
    if (start === 0) break;
    end = start - 1;
  }
  return starts;
};
