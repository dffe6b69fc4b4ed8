import { budgetsSchema } from '../../src/contracts/turn/budgets.ts';
import type { EventBatch } from '../../src/contracts/wire/event-batch.ts';
import type { TurnInput } from '../../src/contracts/payload/turn-workflow-payloads.ts';
import type { WorkflowClose } from '../../src/db/turns/outside-close.ts';

/** Returns the start input of a turn; `turnId` also names its conversation unless `fields` names another. */
export const turnInput = (turnId: string, fields: Partial<TurnInput> = {}): TurnInput => ({
  revision: 1,
  turnId,
  projectId: 'project',
  conversationId: `of-${turnId}`,
  content: 'What does README.md say?',
  mode: 'act',
  protocol: 'two_stage',
  model: 'gpt-x',
  toolResultRole: 'tool',
  heartbeatTimeoutMs: 30_000,
  budgets: budgetsSchema.parse({}),
  searchAttributes: true,
  ...fields,
});

export const userMessage = { sender: 'user' as const, metadata: {} };

/** The batch that the workflow writes before the first model call. */
export const opening: EventBatch = {
  epoch: 0,
  seq: 1,
  after: null,
  events: [{ type: 'phase', phase: 'action', index: 0, cycle: 0 }],
};

/**
 * Returns the events of the n-th attempt of step 1, which says these chunks. Every attempt after the first begins with
 * its reset.
 */
export const attempt = (n: number, ...chunks: string[]): EventBatch => ({
  epoch: 100 + n,
  seq: n === 1 ? 2 : 1,
  after: '0-1',
  events: n === 1 ? chunks : [{ type: 'reset', fromSeq: 2 }, ...chunks],
});

/** Returns the close of a turn that had one model call; its events end at `lastId`. */
export const answered = (
  turnId: string,
  lastId: string,
  fields: Partial<WorkflowClose> = {},
): WorkflowClose => ({
  turnId,
  ownEvents: [opening],
  terminalId: `199-${Number(lastId.split('-')[1]) + 1}`,
  terminalAfter: lastId,
  terminal: {
    type: 'done',
    status: 'completed',
    reason: 'answered',
    usage: { promptTokens: 10, completionTokens: 2 },
  },
  usage: { promptTokens: 10, completionTokens: 2 },
  phase: 0,
  cycle: 0,
  waste: { duplicatesRefused: 0, retriedTokens: 0, discardedCharacters: 0 },
  ...fields,
});
