import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ChatClient } from '../../support/chat-client.ts';
import { answer, answerWithCall } from '../../support/fake-model/responses.ts';
import { startBareInputsArm, type BareInputsArm } from '../arms/bare-inputs-arm.ts';
import { inRandomBlocks } from '../comparison.ts';
import type { Figure } from '../figure.ts';
import type { Ground } from '../ground.ts';
import { atMost, rounded, SUMMARY_COLUMNS, summaryRow } from '../report.ts';
import { summarize } from '../statistics.ts';

const WARM_UP_BLOCKS = 5;
const BLOCKS = { full: 150, quick: 5 };
/**
 * The pause in milliseconds between the request and its reply, after which nothing about the request is still going on.
 */
const REST_MS = 100;
/** The bar of docs/performance.md for the median in milliseconds. */
const BAR = 50;

interface ReplyArm {
  readonly name: 'bare' | 'orion';
  /**
   * Begins a turn that asks before it writes this file; resolves to a function that replies and waits until the turn
   * has ended.
   */
  ask(path: string, folder: string): Promise<() => Promise<unknown>>;
}

const bareArm = (rival: BareInputsArm): ReplyArm => ({
  name: 'bare',
  async ask(path, folder) {
    const id = randomUUID();
    await rival.post('/ask', { id, path: join(folder, path) });
    return () => rival.post('/reply', { id });
  },
});

const orionArm = ({ model, orion }: Ground): ReplyArm => ({
  name: 'orion',
  async ask(path) {
    const chat = new ChatClient(orion.baseUrl);
    const write = answerWithCall('FileSystemTool_write_to_file', { path, content: 'Allowed.\n' });
    await model.follow([
      { match: { lastRole: 'user' }, responses: [write] },
      { responses: [answer('Done.')] },
    ]);
    const turnId = randomUUID();
    const metadata = { approvals: 'writes' };
    await chat.post('/api/turns', { content: 'Write.', conversationId: turnId, requestId: turnId, metadata });
    const events = await chat.events(turnId);
    const { data } = await events.next((frame) => frame.data['type'] === 'input_requested');
    const body = JSON.stringify({ reply: 'allow', argsHash: data['argsHash'] });
    const headers = { 'content-type': 'application/json' };
    return async () => {
      const replied = await chat.request(`/api/turns/${turnId}/inputs/1`, { method: 'POST', headers, body });
      if (!replied.ok) throw new Error(`reply: expected 200, received ${await replied.text()}`);
      await events.ended;
    };
  },
});

/** Returns the milliseconds from the reply until the tool touches the folder it writes to. */
const replyOnce = async ({ ask }: ReplyArm, workspace: string): Promise<number> => {
  const name = `reply-${randomUUID()}`;
  await mkdir(join(workspace, name));
  const reply = await ask(`${name}/note.txt`, workspace);
  const touched = watch(join(workspace, name));
  try {
    await delay(REST_MS);
    const begun = once(touched, 'change').then(() => performance.now());
    const repliedAt = performance.now();
    const [began] = await Promise.all([begun, reply()]);
    return began - repliedAt;
  } finally {
    touched.close();
  }
};

export const reply: Figure = {
  name: 'reply',
  title: 'A reply to a turn that waits → its tool begins, workflow cached (ms)',
  async measure(bench) {
    const { isQuick, random, ground } = bench;
    const on = await ground();
    const arms = [bareArm(await startBareInputsArm(bench, 'rival-reply')), orionArm(on)];
    const workspace = join(on.orion.dataDir, 'workspace');
    const run = (blocks: number) =>
      inRandomBlocks(arms, blocks, random, async (arm) => [await replyOnce(arm, workspace)]);
    await run(WARM_UP_BLOCKS);
    const samples = await run(isQuick ? BLOCKS.quick : BLOCKS.full);
    const [bare, orion] = [summarize(samples.get('bare') ?? []), summarize(samples.get('orion') ?? [])];
    return {
      columns: ['arm', ...SUMMARY_COLUMNS],
      rows: [summaryRow('bare update and activity', bare), summaryRow('orion', orion)],
      checks: [atMost('orion, p50', orion.p50, BAR, ' ms')],
      notes: [`orion − bare, p50: ${rounded(orion.p50 - bare.p50)} ms`],
    };
  },
};
