import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { SseRecorder, type RecordedFrame } from '../../support/sse-recorder.ts';
import { isTerminalFrame, recordedText, violations } from '../../support/recording-check.ts';

const RETRY_MS = 50;
/** After this many pieces of text a turn is in the middle of its answer. */
const MIDDLE = 20;

export interface TurnReader {
  /** The base URLs of all gateways; the next one is tried whenever a stream ends early. */
  readonly gateways: readonly string[];
  readonly key: string;
}

/** What a client saw of a turn. */
export interface StreamedTurn {
  /** The guarantees to clients that were not kept. */
  readonly violations: readonly string[];
  readonly resets: number;
  /** The longest time in milliseconds between a piece of text and the next one. */
  readonly silence: number;
}

const post = async ({ gateways, key }: TurnReader, requestId: string, content: string): Promise<void> => {
  const body = JSON.stringify({ projectId: 'test', conversationId: requestId, content, requestId });
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` };
  const response = await fetch(`${gateways[0]}/api/turns`, { method: 'POST', headers, body });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
};

/**
 * Reads a turn to its end, from one gateway after the other, resuming after the last frame; calls `onMiddle` in the
 * middle.
 */
const follow = async (
  { gateways, key }: TurnReader,
  turnId: string,
  onMiddle: () => void,
): Promise<readonly RecordedFrame[]> => {
  const frames: RecordedFrame[] = [];
  let pieces = 0;
  const isMiddle = ({ data }: RecordedFrame): boolean => data['type'] === 'chunk' && (pieces += 1) === MIDDLE;
  for (let tries = 0; !frames.some(isTerminalFrame); tries += 1) {
    const last = frames.at(-1)?.id;
    const headers = { Authorization: `Bearer ${key}`, ...(last !== undefined && { 'Last-Event-ID': last }) };
    const url = `${gateways[tries % gateways.length]}/api/turns/${turnId}/events`;
    const recorder = await SseRecorder.open(url, { headers }).catch(() => undefined);
    recorder?.next(isMiddle).then(onMiddle, () => undefined);
    await recorder?.ended;
    if (recorder?.response.ok) frames.push(...recorder.frames);
    await delay(RETRY_MS);
  }
  return frames;
};

/** A turn that is running. */
export interface RunningTurn {
  /** Resolves when the turn is in the middle of its answer; rejects when it ends before. */
  readonly underWay: Promise<void>;
  readonly ended: Promise<StreamedTurn>;
}

/** Asks the demo model to count to `last`, and checks the stream, whatever happens to the servers meanwhile. */
export const countTo = (reader: TurnReader, last: number): RunningTurn => {
  const { promise: middle, resolve } = Promise.withResolvers<void>();
  const ended = streamCount(reader, last, resolve);
  const missed = ended.then(({ violations: found }) => {
    throw new Error(`the turn has ended without a middle: ${found.join('; ')}`);
  });
  return { underWay: Promise.race([middle, missed]), ended };
};

const streamCount = async (reader: TurnReader, last: number, onMiddle: () => void): Promise<StreamedTurn> => {
  const turnId = randomUUID();
  await post(reader, turnId, `count to ${last}`);
  const frames = await follow(reader, turnId, onMiddle);
  const found = [...violations(frames)];
  const numbers = recordedText(frames).match(/\d+/g) ?? [];
  const wrong = numbers.findIndex((number, index) => Number(number) !== index + 1);
  if (wrong !== -1 || numbers.length !== last) found.push(`counted to ${numbers.length}, wrong at ${wrong}`);
  const texts = frames.filter(({ data }) => data['type'] === 'chunk');
  return {
    violations: found,
    resets: frames.filter(({ data }) => data['type'] === 'reset').length,
    silence: Math.max(...texts.map(({ at }, index) => at - (texts[index - 1]?.at ?? at))),
  };
};
