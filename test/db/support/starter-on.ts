import type { Client } from '@temporalio/client';
import { budgetsSchema } from '../../../src/contracts/turn/budgets.ts';
import type { TurnRepository } from '../../../src/db/turns/turn-repository.ts';
import type { TurnStarter } from '../../../src/gateway/ports/turn-starts.ts';
import { createTurnStarter } from '../../../src/gateway/turns/turn-starter.ts';
import { partOf } from '../../support/part-of.ts';
import { withoutDeadline } from '../../support/without-deadline.ts';

/** A client whose every workflow starts, receives every signal and goes on. */
export const willingClient = partOf<Client>({
  withDeadline: withoutDeadline,
  workflow: {
    start: () => Promise.resolve({ firstExecutionRunId: 'run' }),
    getHandle: () => ({
      describe: () => Promise.resolve({ status: { name: 'RUNNING' } }),
      signal: () => Promise.resolve(),
    }),
  },
});

/** Returns a starter of turns over these rows, with every setting at its default. */
export const starterOn = (turns: TurnRepository): TurnStarter =>
  createTurnStarter({
    client: willingClient,
    turns,
    taskQueue: 'orion',
    loadLimit: { admit: () => ({ kind: 'admitted', stored: () => undefined, withdraw: () => undefined }) },
    hasSearchAttributes: () => Promise.resolve(false),
    defaults: {
      budgets: budgetsSchema.parse({}),
      model: 'fake',
      toolResultRole: 'tool',
      projects: new Map(),
      heartbeatTimeoutMs: 10_000,
      sessionInactivityMs: 300_000,
      notifies: false,
      inputs: { approvals: { rules: [], setting: 'never' }, expiryMs: 86_400_000 },
      maxPhaseCyclesLimit: 50,
      fallbacks: new Map(),
      liveLane: undefined,
    },
  });
