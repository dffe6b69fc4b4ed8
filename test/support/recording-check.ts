import { compareEventIds, parseEventId, type EventId } from '../../src/contracts/wire/event-id.ts';
import type { RecordedFrame } from './sse-recorder.ts';

interface SurvivingFrame {
  readonly id: EventId;
  readonly frame: RecordedFrame;
}

/** Reports whether a frame ends the stream of a turn. */
export const isTerminalFrame = ({ data }: RecordedFrame): boolean =>
  data['type'] === 'done' || data['type'] === 'error';

/** Returns the frames that survive the resets, in order (docs/events.md). */
export const survivingFrames = (frames: readonly RecordedFrame[]): SurvivingFrame[] => {
  let surviving: SurvivingFrame[] = [];
  for (const frame of frames) {
    const id = parseEventId(frame.id);
    if (!id) throw new Error(`expected an event id, received "${frame.id}"`);
    if (frame.data['type'] === 'reset') {
      const fromSeq = fromSeqOf(frame);
      surviving = surviving.filter((one) => one.id.seq < fromSeq);
    } else {
      surviving.push({ id, frame });
    }
  }
  return surviving;
};

/** Returns the `fromSeq` of a reset: a field of the frame (native), or of the object `reset` in it (compatible). */
const fromSeqOf = ({ data }: RecordedFrame): number => {
  const inner = data['reset'] as { fromSeq?: number } | undefined;
  return Number(inner?.fromSeq ?? data['fromSeq']);
};

/** Returns the text of the model that a client holds after all resets. */
export const recordedText = (frames: readonly RecordedFrame[]): string =>
  survivingFrames(frames)
    .filter(({ frame }) => frame.data['type'] === 'chunk' && frame.data['notice'] === undefined)
    .map(({ frame }) => String(frame.data['chunk'] ?? frame.data['content']))
    .join('');

/**
 * Returns every breach of what a client may rely on, over one recording or several of the same client
 * (docs/performance.md).
 */
export const violations = (frames: readonly RecordedFrame[]): string[] => {
  const found: string[] = [];
  let last: EventId | undefined;
  for (const frame of frames) {
    const id = parseEventId(frame.id);
    if (!id) return [...found, `no id: ${JSON.stringify(frame.data)}`];
    if (last && compareEventIds(id, last) <= 0) found.push(`id ${frame.id} does not rise`);
    if (last && id.epoch === last.epoch && id.seq !== last.seq + 1) found.push(`gap before ${frame.id}`);
    last = id;
  }
  const terminals = frames.filter(isTerminalFrame);
  if (terminals.length !== 1) found.push(`${terminals.length} terminal events`);
  if (frames.length > 0 && !isTerminalFrame(frames[frames.length - 1] as RecordedFrame)) {
    found.push('terminal not last');
  }
  const seqs = survivingFrames(frames).map(({ id }) => id.seq);
  if (seqs.some((seq, i) => seq !== (seqs[0] ?? 0) + i)) {
    found.push(`surviving seqs have gaps: ${seqs.join(' ')}`);
  }
  const done = terminals[0]?.data;
  if (done?.['type'] === 'done' && done['fullContent'] !== recordedText(frames)) {
    found.push('fullContent is not the text');
  }
  return found;
};
