import type {
  CallModelInput,
  ExecuteToolInput,
} from '../../../src/contracts/payload/turn-activity-payloads.ts';
import { toolCall } from '../../support/fake-ports.ts';

/** The run id of the workflow whose activities are tested. */
export const RUN_ID = 'first-run';

export const modelInput = (overrides: Partial<CallModelInput> = {}): CallModelInput => ({
  turnId: 'turn-1',
  projectId: 'p',
  conversationId: 'c',
  firstExecutionRunId: RUN_ID,
  liveLane: 'http://127.0.0.1:1',
  prelude: [
    { epoch: 0, seq: 1, after: null, events: [{ type: 'phase', phase: 'action', index: 0, cycle: 0 }] },
  ],
  step: 1,
  fromSeq: 2,
  after: '0-1',
  mode: 'act',
  model: 'fake',
  messages: [{ role: 'user', content: 'Hello?' }],
  options: {
    stopAt: 'first-complete-call',
    lead: '',
    deadline: Date.now() + 60_000,
    tokenBudget: 10_000,
    tools: true,
    temperature: 0.3,
    maxTokens: 100,
  },
  ...overrides,
});

export const toolInput = (overrides: Partial<ExecuteToolInput> = {}): ExecuteToolInput => ({
  turnId: 'turn-1',
  projectId: 'p',
  conversationId: 'c',
  firstExecutionRunId: RUN_ID,
  prelude: [],
  mode: 'act',
  call: toolCall('Files_read', { path: 'a' }),
  phaseIndex: 1,
  position: 0,
  delayMs: 0,
  ...overrides,
});
