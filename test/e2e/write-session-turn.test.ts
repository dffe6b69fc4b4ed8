/** Tests long files that chat turns write, on the processes of `npm start`, with the demo model. */
import { createHash } from 'node:crypto';
import { readFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { demoLines } from '../../src/demo-model/wishes.ts';
import { ChatClient } from '../support/chat-client.ts';
import { OrionStack } from '../support/orion-stack.ts';
import { recordedText, violations } from '../support/recording-check.ts';
import type { RecordedFrame } from '../support/sse-recorder.ts';
import { temporalAddress } from '../support/turn-worker.ts';

let stack: OrionStack;
let chat: ChatClient;
let connection: Connection;

beforeAll(async () => {
  stack = await OrionStack.start({});
  chat = new ChatClient(stack.baseUrl);
  connection = await Connection.connect({ address: temporalAddress() });
});
afterAll(async () => {
  await connection?.close();
  await stack?.stop();
});

const inWorkspace = (path: string): string => join(stack.dataDir, 'workspace', path);
const onDisk = (path: string): Promise<string> => readFile(inWorkspace(path), 'utf8');

interface Asked {
  readonly requestId: string;
  readonly content: string;
  readonly conversationId?: string;
  readonly metadata?: Record<string, unknown>;
}

const ask = async (
  body: Asked,
  onFrame?: (frame: RecordedFrame) => void,
): Promise<readonly RecordedFrame[]> => {
  await chat.start(body);
  return chat.follow(body.requestId, onFrame);
};

const sessionsIn = (frames: readonly RecordedFrame[]) =>
  frames.map(({ data }) => data).filter((data) => data['type'] === 'write_session');
const stagesOf = (frames: readonly RecordedFrame[]): unknown[] =>
  sessionsIn(frames).map((data) => data['stage']);

const BILLED = [
  'workflowExecutionStartedEventAttributes',
  'activityTaskScheduledEventAttributes',
  'timerStartedEventAttributes',
  'workflowExecutionSignaledEventAttributes',
  'workflowExecutionUpdateAcceptedEventAttributes',
  'signalExternalWorkflowExecutionInitiatedEventAttributes',
  'upsertWorkflowSearchAttributesEventAttributes',
] as const;

const eventsOf = async (workflowId: string) =>
  (await new Client({ connection }).workflow.getHandle(workflowId).fetchHistory()).events ?? [];

/** Counts the billed actions in a workflow's history, without the attempts of activities. */
const billedIn = async (workflowId: string): Promise<number> =>
  (await eventsOf(workflowId)).filter((event) => BILLED.some((kind) => event[kind])).length;

describe('a file of 5,000 lines, asked for in a chat', () => {
  const requestId = 'big-file';
  const conversationId = 'big-file';
  const file = demoLines('docs/big.md', 5_000);
  let frames: readonly RecordedFrame[] = [];

  beforeAll(async () => {
    const content = 'Write a 5,000-line markdown file to docs/big.md';
    frames = await ask({ requestId, conversationId, content });
  });

  it('is on disk as the model wrote it, byte by byte', async () => {
    expect(await onDisk('docs/big.md')).toBe(file);
    expect(violations([...frames])).toEqual([]);
  });

  it('is announced in order: begun, its text, complete, committed', () => {
    const sha256 = createHash('sha256').update(file).digest('hex');
    expect(sessionsIn(frames)).toEqual([
      expect.objectContaining({ stage: 'begun', target: 'docs/big.md' }),
      expect.objectContaining({ stage: 'content_complete', lines: 5_000, sha256 }),
      expect.objectContaining({ stage: 'committed', lines: 5_000, sha256, bytes: file.length }),
    ]);
    const at = (stage: string): number => frames.findIndex(({ data }) => data['stage'] === stage);
    const text = frames.findIndex(({ data }) => String(data['content']).includes('Line 2500 of'));
    expect([at('begun') < text, text < at('content_complete')]).toEqual([true, true]);
    expect(frames.at(-1)?.data).toMatchObject({ type: 'done', reason: 'answered' });
    expect(recordedText([...frames])).toMatch(/went through a write session, 5000 lines\.$/);
  });

  it('costs at most 40 actions, turn and session together', async () => {
    const session = String(sessionsIn(frames)[0]?.['sessionId']);
    const billed = (await billedIn(`turn/${requestId}`)) + (await billedIn(`write-session/${session}`));
    expect(billed).toBeLessThanOrEqual(40);
    expect(billed).toBeGreaterThan(10);
  });

  it('is in the messages of the user, with the characters that later prompts do not contain', async () => {
    const { messages } = (await chat.json(
      `/api/chat/messages?project_id=test&conversation_id=${conversationId}`,
    )) as { messages: { sender: string; content: string; metadata: Record<string, unknown> }[] };
    const { content = '', metadata = {} } = messages.find(({ sender }) => sender === 'orion') ?? {};
    expect(content).toContain(file);
    const [replaced] = metadata['writeSessions'] as { from: number; to: number; line: string }[];
    expect(content.slice(replaced?.from, replaced?.to)).toBe(`${file}DONE\n`);
    expect(replaced?.line).toMatch(/^\[wrote docs\/big\.md: 5,000 lines, sha256 [0-9a-f]{64}\]$/);
  });
});

describe('what goes wrong', () => {
  const conversationId = 'what-goes-wrong';

  it('the file is exact although every worker is killed in the middle of the content', async () => {
    let killed = false;
    const content = 'Write a 5,000-line file to docs/killed.md';
    const frames = await ask({ requestId: 'killed-file', content }, (frame) => {
      if (killed || !String(frame.data['content']).includes('Line 2001 of')) return;
      killed = true;
      void stack.kill('worker');
    });
    expect(killed).toBe(true);
    expect(frames.filter(({ data }) => data['type'] === 'reset')).toHaveLength(1);
    expect(stagesOf(frames)).toEqual(['begun', 'content_complete', 'committed']);
    expect(await onDisk('docs/killed.md')).toBe(demoLines('docs/killed.md', 5_000));
  });

  it('an existing file is not touched, and its session blocks all turns but those of its conversation', async () => {
    await mkdir(inWorkspace('docs'), { recursive: true });
    await writeFile(inWorkspace('docs/there.md'), 'old\n');
    const frames = await ask({
      requestId: 'there-file',
      conversationId,
      content: 'Create a 200-line file docs/there.md',
    });
    expect(stagesOf(frames)).toEqual(['begun', 'content_complete', 'failed']);
    expect(await onDisk('docs/there.md')).toBe('old\n');
    expect(frames.map(({ data }) => data['notice'])).toContain('write_session');
    expect(recordedText([...frames])).toMatch(/docs\/there\.md was not written\.$/);

    const content = 'Overwrite docs/there.md with a 200-line file';
    const other = await ask({ requestId: 'blocked', content });
    expect(stagesOf(other)).toEqual([]);
    expect(recordedText([...other])).toContain('Another write session is already active.');
    const own = await ask({ requestId: 'then', conversationId, content });
    expect(stagesOf(own)).toEqual(['begun', 'content_complete', 'committed']);
    expect(await onDisk('docs/there.md')).toBe(demoLines('docs/there.md', 200));
  });
});

describe('a client that finalizes by itself', () => {
  it('may finalize first: there is one write, and the turn goes on at once', async () => {
    let finalized: Promise<Response> | undefined;
    const frames = await ask(
      {
        requestId: 'client-file',
        content: 'Write a 300-line file docs/client.md',
        metadata: { writeSession: 'client', protocol: 'standard' },
      },
      ({ data }) => {
        if (data['stage'] !== 'content_complete') return;
        const body = JSON.stringify({
          session_id: data['sessionId'],
          content: demoLines('docs/client.md', 300),
        });
        const headers = { 'content-type': 'application/json' };
        finalized = chat.request('/api/write-session/finalize', { method: 'POST', headers, body });
      },
    );
    expect((await finalized)?.status).toBe(200);
    expect(stagesOf(frames)).toEqual(['begun', 'content_complete', 'committed']);
    expect(await onDisk('docs/client.md')).toBe(demoLines('docs/client.md', 300));
    const events = await eventsOf('turn/client-file');
    // The turn sets a timer only for the time that it gives its client.
    expect(events.filter((event) => event.timerStartedEventAttributes)).toHaveLength(1);
    expect(events.filter((event) => event.timerFiredEventAttributes)).toEqual([]);
  });
});
