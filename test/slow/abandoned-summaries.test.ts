/** Covers a summary whose workflow is terminated while its worker is dead: the money reserved for it is freed. */
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compactWorkflowId } from '../../src/contracts/values/workflow-ids.ts';
import { SUMMARY_PROMPT_START } from '../../src/contracts/model/prompt-marks.ts';
import { createTemporalClient } from '../../src/temporal/temporal-client.ts';
import { fillUntil } from '../faults/support/long-conversation.ts';
import { Spending } from '../faults/support/spending.ts';
import type { ChatClient } from '../support/chat-client.ts';
import { eventually } from '../support/eventually.ts';
import type { FakeModel } from '../support/fake-model/fake-model.ts';
import { answer } from '../support/fake-model/responses.ts';
import type { OrionStack } from '../support/orion-stack.ts';
import { temporalAddress } from '../support/turn-worker.ts';
import { useStack } from '../support/use-stack.ts';

jest.setTimeout(300_000);

const folder = mkdtempSync(join(tmpdir(), 'orion-left-'));
const prices = join(folder, 'prices.json');
writeFileSync(prices, JSON.stringify({ fake: { input: 1, output: 10 } }));
let stack: OrionStack;
let chat: ChatClient;
let fake: FakeModel;
useStack({ ORION_PRICES_FILE: prices, CONTEXT_TOKENS: '6000' }, (started) => {
  ({ stack, chat, fake } = started);
});
const temporal = createTemporalClient({ address: temporalAddress() }, 'default');
let spending: Spending;
beforeAll(async () => {
  spending = await Spending.open(stack.databaseUrl);
});
afterAll(async () => {
  await spending.close();
  await temporal.connection.close();
  rmSync(folder, { recursive: true });
});

it('a summary that was left is settled by the next worker, at what its prompt costs', async () => {
  fake.rules(
    {
      match: { includes: SUMMARY_PROMPT_START },
      responses: [{ steps: [{ text: 'Half of' }, { gate: 'never' }] }],
    },
    { responses: [answer('Good.')], repeat: true },
  );
  const isAsked = () =>
    fake.requests.some(({ body }) => JSON.stringify(body.messages?.[0]).includes(SUMMARY_PROMPT_START));
  await fillUntil(chat, 'left', isAsked);
  const [summary] = await spending.summaries('left');
  // A worker that runs could hear of the end, and settle by itself.
  for (const pid of await stack.pidsOf('worker')) process.kill(pid, 'SIGSTOP');
  await temporal.client.workflow.getHandle(compactWorkflowId(summary?.turnId ?? '')).terminate('by hand');
  await stack.kill('worker');
  const reserved = await spending.reserved();
  expect(reserved).toBeGreaterThan(0);
  await eventually('the settlement', async () => (await spending.reserved()) === 0);
  const left = (await spending.attempts('left')).filter(({ epoch }) => epoch < 0);
  expect(left).toHaveLength(1);
  expect(Number(left[0]?.cost)).toBeGreaterThan(0);
  expect(Number(left[0]?.cost)).toBeLessThan(reserved);
  expect(await spending.wrong()).toEqual([]);
  expect((await spending.summaries('left')).map(({ isReady }) => isReady)).toEqual([false]);
});
