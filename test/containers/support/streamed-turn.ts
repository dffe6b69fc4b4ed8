import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { isTerminal } from '../../support/chat-client.ts';
import { SseRecorder, type RecordedFrame } from '../../support/sse-recorder.ts';
import { textOf, violations } from '../../support/recording-check.ts';

const RETRY_MS = 50;

export interface TurnReader {
  /** Base URLs of all gateways; the next one is tried whenever a stream ends early. */
  readonly gateways: readonly string[];
  readonly key: string;
}

/** What a client saw of a turn. */
export interface StreamedTurn {
  /** All that a client may rely on and that was not so. */
  readonly violations: readonly string[];
  readonly resets: number;
  /** Milliseconds without a frame, at the longest. */
  readonly silence: number;
  /** Milliseconds to the first frame of text. */
  readonly firstText: number;
}

const post = async ({ gateways, key }: TurnReader, requestId: string, content: string): Promise<void> => {
  const body = JSON.stringify({ projectId: 'test', conversationId: requestId, content, requestId });
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` };
  const response = await fetch(`${gateways[0]}/api/turns`, { method: 'POST', headers, body });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
};

/** Reads a turn to its end, from one gateway after the other, by the id of the last frame it has. */
const follow = async ({ gateways, key }: TurnReader, turnId: string): Promise<readonly RecordedFrame[]> => {
  const frames: RecordedFrame[] = [];
  for (let tries = 0; !frames.some(isTerminal); tries += 1) {
    const last = frames.at(-1)?.id;
    const headers = { Authorization: `Bearer ${key}`, ...(last !== undefined && { 'Last-Event-ID': last }) };
    const url = `${gateways[tries % gateways.length]}/api/turns/${turnId}/events`;
    const recorder = await SseRecorder.open(url, { headers }).catch(() => undefined);
    await recorder?.ended;
    if (recorder?.response.ok) frames.push(...recorder.frames);
    await delay(RETRY_MS);
  }
  return frames;
};

/** Asks the demo model to count, and judges what comes of it, whatever happens to its servers meanwhile. */
export const countTo = async (reader: TurnReader, last: number): Promise<StreamedTurn> => {
  const turnId = randomUUID();
  const began = performance.now();
  await post(reader, turnId, `count to ${last}`);
  const frames = await follow(reader, turnId);
  const found = [...violations(frames)];
  const numbers = textOf(frames).match(/\d+/g) ?? [];
  const wrong = numbers.findIndex((number, index) => Number(number) !== index + 1);
  if (wrong !== -1 || numbers.length !== last) found.push(`counted to ${numbers.length}, wrong at ${wrong}`);
  return {
    violations: found,
    resets: frames.filter(({ data }) => data['type'] === 'reset').length,
    silence: Math.max(...frames.map(({ at }, index) => at - (frames[index - 1]?.at ?? at))),
    firstText: (frames.find(({ data }) => data['type'] === 'chunk')?.at ?? Number.NaN) - began,
  };
};
