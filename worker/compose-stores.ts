import type { Database } from '../src/db/connection/database.ts';
import { createStepRepository } from '../src/db/turns/step-repository.ts';
import { createSummaryRepository } from '../src/db/conversations/summary-repository.ts';
import { createInputRepository } from '../src/db/inputs/input-repository.ts';
import { createOutboxRepository } from '../src/db/outbox/outbox-repository.ts';
import { createReplyContents } from '../src/db/inputs/reply-contents.ts';
import { createRetention } from '../src/db/retention/retention.ts';
import { createSegmentRepository } from '../src/db/turns/segment-repository.ts';
import { createSpendRepository } from '../src/db/usage/spend-repository.ts';
import { createTurnRepository } from '../src/db/turns/turn-repository.ts';

/**
 * Builds the stores in Postgres that a worker's activities and its sweeper use, except those of write sessions, traces
 * and the tool ledger.
 */
export const composeStores = (db: Database) => ({
  steps: createStepRepository(db),
  segments: createSegmentRepository(db),
  turns: createTurnRepository(db),
  inputs: createInputRepository(db),
  outbox: createOutboxRepository(db),
  replyContents: createReplyContents(db),
  retention: createRetention(db),
  spend: createSpendRepository(db),
  summaries: createSummaryRepository(db),
});

/** The stores of a worker. They are built only once per process. */
export type WorkerStores = ReturnType<typeof composeStores>;
