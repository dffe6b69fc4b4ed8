/** Plants secrets as canaries wherever one can come from, and looks for them wherever something is stored or shown. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import pg from 'pg';
import { ChatClient } from '../support/chat-client.ts';
import type { FakeModel } from '../support/fake-model/fake-model.ts';
import { answer, refusal, answerWithCall } from '../support/fake-model/responses.ts';
import type { OrionStack } from '../support/orion-stack.ts';
import type { SseRecorder } from '../support/sse-recorder.ts';
import { temporalAddress } from '../support/turn-worker.ts';
import { useStack } from '../support/use-stack.ts';
import { logLine } from '../support/test-log.ts';

/** The secrets of the installation and of the request, which must not appear anywhere. */
const OURS = {
  apiKey: 'sk-canary-ours-0123456789',
  token: 'canary-ours-internal-token-0123456789',
  authorization: 'canary-ours-authorization',
  cookie: 'canary-ours-cookie',
};
/** The secrets in what people, models and files say: the turn itself uses them, but the trace must not contain them. */
const SAID = [
  'password=canary-said-1',
  'Authorization: Bearer canary-said-2.abc',
  'sk-canary-said-3-0123456789',
  '-----BEGIN PRIVATE KEY-----\ncanary-said-4\n-----END PRIVATE KEY-----',
  'postgres://orion:canary-said-5@db/orion',
  '{"client": {"secret": "canary-said-6"}}',
].join('\n');

let fake: FakeModel;
let stack: OrionStack;
useStack(
  { OPENAI_API_KEY: OURS.apiKey, ORION_INTERNAL_TOKEN: OURS.token },
  (started) => void ({ stack, fake } = started),
);
beforeAll(async () => {
  await mkdir(join(stack.dataDir, 'workspace'), { recursive: true });
  await writeFile(join(stack.dataDir, 'workspace', 'notes.txt'), SAID);
});

const TURNS = 3;

const playTurn = async (requestId: string): Promise<SseRecorder> => {
  fake.script(
    refusal(500, { message: `upstream said: ${OURS.apiKey} is busy` }),
    answerWithCall('read_file', { path: 'notes.txt', api_key: 'canary-said-7' }, { text: SAID }),
    answerWithCall('read_file', { path: 'notes.txt' }, { text: 'again' }),
    answer(SAID),
  );
  const chat = new ChatClient(stack.baseUrl, {
    Authorization: `Bearer ${OURS.authorization}`,
    Cookie: `session=${OURS.cookie}`,
  });
  const stream = await chat.chat({ conversationId: requestId, requestId, content: SAID });
  await stream.ended;
  return stream;
};

/** Returns all texts of a value, with the payloads of a history decoded. */
const textsOf = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  if (value instanceof Uint8Array) return [Buffer.from(value).toString('utf8')];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [name, ...textsOf(inner)]);
};

const traceRows = async (): Promise<unknown[]> => {
  const client = new pg.Client({ connectionString: stack.databaseUrl });
  await client.connect();
  const { rows } = await client.query<Record<string, unknown>>('select * from trace_events');
  await client.end();
  return rows;
};

const histories = async (turnIds: readonly string[]): Promise<unknown[]> => {
  const connection = await Connection.connect({ address: temporalAddress() });
  const { workflow } = new Client({ connection });
  const all = await Promise.all(turnIds.map((id) => workflow.getHandle(`turn/${id}`).fetchHistory()));
  await connection.close();
  return all.flatMap(({ events }) => events ?? []);
};

/** Returns the first words of each question, as lists of turns show them. */
const questions = async (turnIds: readonly string[]): Promise<unknown[]> => {
  const connection = await Connection.connect({ address: temporalAddress() });
  const { workflow } = new Client({ connection });
  const all = await Promise.all(turnIds.map((id) => workflow.getHandle(`turn/${id}`).describe()));
  await connection.close();
  return all.map(({ memo }) => memo?.['question']);
};

const matchesIn = (values: readonly unknown[], canary: RegExp): string[] =>
  values.flatMap(textsOf).flatMap((text) => text.match(canary) ?? []);

describe('secrets', () => {
  it('are in no trace; those of the installation in no history and no stream either', async () => {
    const turnIds = Array.from({ length: TURNS }, (_, i) => `canary-turn-${i}`);
    const streams: SseRecorder[] = [];
    for (const turnId of turnIds) {
      streams.push(await playTurn(turnId));
      fake.clear();
    }
    const frames = streams.flatMap((stream) => stream.frames.map(({ data }) => data));
    const traces = await traceRows();
    const events = await histories(turnIds);
    // The turns ran as they were meant to, and their texts have gone through all of them.
    expect(frames.filter((data) => data['type'] === 'done')).toHaveLength(TURNS);
    expect(matchesIn(frames, /canary-said-1/).length).toBeGreaterThan(0);
    expect(matchesIn(events, /canary-said-2/).length).toBeGreaterThan(0);
    expect(matchesIn(traces, /\[redacted\]/).length).toBeGreaterThan(TURNS * 5);

    expect(matchesIn(traces, /canary-(said|ours)[\w-]*/)).toEqual([]);
    expect(await questions(turnIds)).toEqual(
      Array(TURNS).fill(expect.stringMatching(/^password=\[redacted\] Authorization: \[redacted\]/)),
    );
    expect(matchesIn(events, /canary-ours[\w-]*/)).toEqual([]);
    expect(matchesIn(frames, /canary-ours[\w-]*/)).toEqual([]);
    const counts = `${traces.length} traces, ${events.length} history events, ${frames.length} frames`;
    logLine(`canaries: 0 found in ${counts} of ${TURNS} turns`);
  });
});
