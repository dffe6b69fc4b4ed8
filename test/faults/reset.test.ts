/** A turn that is reset in the Web UI ends, and nobody waits for it (docs/turns.md). */
import { expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { turnWorkflowId } from '../../src/contracts/values/workflow-ids.ts';
import type { ChatClient } from '../support/chat-client.ts';
import { eventually } from '../support/eventually.ts';
import type { FakeModel } from '../support/fake-model/fake-model.ts';
import { answerWithCall } from '../support/fake-model/responses.ts';
import { temporalAddress } from '../support/turn-worker.ts';
import { useStack } from '../support/use-stack.ts';
import { requestUntilAnswered } from '../support/request-until-answered.ts';

let chat: ChatClient;
let fake: FakeModel;
useStack({}, (started) => void ({ chat, fake } = started));

/** Resets a turn: a new run begins where the old one waits. */
const reset = async (turnId: string): Promise<void> => {
  const connection = await Connection.connect({ address: temporalAddress() });
  const { workflow, workflowService } = new Client({ connection });
  const workflowId = turnWorkflowId(turnId);
  const events = await eventually('the timer', async () => {
    const history = (await workflow.getHandle(workflowId).fetchHistory()).events ?? [];
    return history.some((event) => event.timerStartedEventAttributes) && history;
  });
  const last = events.findLast((event) => event.workflowTaskCompletedEventAttributes)?.eventId;
  await workflowService.resetWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId },
    workflowTaskFinishEventId: last ?? null,
    requestId: randomUUID(),
    reason: 'test',
  });
  await connection.close();
};

it('a turn that was reset ends when somebody replies or sends a message, although its new run would wait for a day', async () => {
  const write = { path: 'a.md', content: 'new' };
  fake.rules({ responses: [answerWithCall('FileSystemTool_write_to_file', write)], repeat: true });
  const turns = ['reset-reply', 'reset-steer'];
  for (const turnId of turns) {
    const metadata = { approvals: 'writes' };
    await chat.start({ content: 'write', requestId: turnId, metadata });
    await reset(turnId);
  }
  const replied = await requestUntilAnswered(chat, '/api/turns/reset-reply/inputs/1', { reply: 'deny' });
  expect(replied).toMatchObject({ status: 409, body: { code: 'input_closed' } });
  const said = await requestUntilAnswered(chat, '/api/turns/reset-steer/messages', {
    content: 'hello',
    messageId: 'm',
  });
  expect(said).toMatchObject({ status: 409, body: { code: 'turn_ended' } });
  for (const turnId of turns) {
    const frames = await chat.follow(turnId);
    expect(frames.at(-1)?.data).toMatchObject({ type: 'error', code: 'turn_ended_outside' });
  }
});
