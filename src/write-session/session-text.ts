import { withoutCodeFence } from './code-fence.ts';
import { findDone } from './done-detector.ts';
import { stitch } from './stitching.ts';

/** One action phase of a write session, as the model wrote it. */
export interface WrittenPhase {
  /** The text, without the line breaks that the turn put before it (`withoutSeparator`). */
  readonly text: string;
  /**
   * Why the text ends. `ended` means that the model ended it, `length` that the provider cut it at the greatest length
   * of an answer, and `cut` that anything else did, such as a budget, a cancel, a message of the user or a failure.
   */
  readonly end: 'ended' | 'length' | 'cut';
}

/** The content of a write session, put together from its phases. */
export interface SessionContent {
  /** `complete` means that the model has marked the end. `open` means that more text may be missing. */
  readonly end: 'complete' | 'open';
  /** The text of the file. For an open session it is everything that was written, including markers. */
  readonly text: string;
  /** The text after the end marker. */
  readonly remark: string;
  /** True when a code fence around the whole text was left out. */
  readonly wasInCodeFence: boolean;
}

/**
 * Reads the content of a write session from its phases (docs/write-sessions.md "In a turn"). Continuations are joined,
 * and the last DONE line of the last phase is the end. It counts only if the model ended this phase itself: in a text
 * that was cut, what looks like the marker may be a line of the file.
 */
export const readContent = (phases: readonly WrittenPhase[]): SessionContent => {
  const { text, from } = join(phases);
  const mark = phases.at(-1)?.end === 'ended' ? findDone(text) : undefined;
  if (mark?.kind !== 'done' || text.indexOf('DONE', mark.contentLength) + 'DONE'.length <= from) {
    return { end: 'open', text, remark: '', wasInCodeFence: false };
  }
  const marked = text.slice(0, mark.contentLength);
  const inner = withoutCodeFence(marked);
  return { end: 'complete', text: inner ?? marked, remark: mark.remark, wasInCodeFence: inner !== undefined };
};

interface Joined {
  readonly text: string;
  /** Offset at which the last phase's own text begins. */
  readonly from: number;
}

const join = (phases: readonly WrittenPhase[]): Joined => {
  let written: Joined = { text: '', from: 0 };
  let previous: WrittenPhase | undefined;
  for (const phase of phases) {
    written =
      previous === undefined ? { text: phase.text, from: 0 } : joinNext(written.text, previous, phase.text);
    previous = phase;
  }
  return written;
};

/**
 * Joins two phases. If the model had ended its answer, the next phase begins a new line. If it was cut, the next phase
 * continues where it stopped, unless the model has nothing left to say but DONE.
 */
const joinNext = (written: string, previous: WrittenPhase, text: string): Joined => {
  const startsLine = previous.end === 'ended' || /^DONE\s*(?:[\n\r]|$)/.test(text);
  const needsBreak = startsLine && written !== '' && !/[\n\r]$/.test(written);
  return stitch(needsBreak ? `${written}\n` : written, text);
};
