import type { WorkflowHandle } from '@temporalio/client';
import type { WriteSessionActivities } from '../../../activities/write-session/write-session-activities.ts';
import type { WriteSessionInput } from '../../../src/contracts/payload/session-workflow-payloads.ts';
import {
  cancelSessionSignal,
  finalizeSignal,
  finalizeUpdate,
  touchSignal,
} from '../../../src/temporal/write-session-messages.ts';
import { contentRef, failedOutcome, ScriptedSession } from '../../support/scripted-session.ts';

/** A write session whose history is stored, so that later workflow code can be replayed against it. */
export interface RecordedSession {
  readonly name: string;
  readonly input: Partial<WriteSessionInput>;
  readonly activities: WriteSessionActivities;
  /** Does what happens to the session until it ends. */
  play(handle: WorkflowHandle): Promise<unknown>;
}

const A = contentRef('a');
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Scripts a commit that ends long after its session. */
const slowCommit = (): ScriptedSession => new ScriptedSession(() => pause(2_000).then(() => failedOutcome));

/**
 * Returns one session for each way in which it can end: `node test/workflows/record-histories.ts` plays and stores
 * them.
 */
export const recordedSessions = (): RecordedSession[] => [
  {
    name: 'session-committed-at-second-try',
    input: {},
    activities: new ScriptedSession((n) => (n === 1 ? failedOutcome : undefined)),
    async play(handle) {
      await handle.executeUpdate(finalizeUpdate, { args: [{ content: A }] });
      await handle.signal(touchSignal, { draft: contentRef('b') });
      await Promise.all(
        [{ content: A }, {}].map((request) => handle.executeUpdate(finalizeUpdate, { args: [request] })),
      );
    },
  },
  {
    name: 'session-committed-by-signal',
    input: {},
    activities: new ScriptedSession(),
    play: (handle) => handle.signal(finalizeSignal),
  },
  {
    name: 'session-expired',
    input: { inactivityTimeoutMs: 600 },
    activities: new ScriptedSession(),
    async play(handle) {
      await pause(300);
      await handle.signal(touchSignal);
    },
  },
  {
    name: 'session-cancelled-in-a-commit',
    input: {},
    activities: slowCommit(),
    async play(handle) {
      const answer = handle.executeUpdate(finalizeUpdate, { args: [{ content: A }] });
      await pause(300);
      await handle.signal(cancelSessionSignal);
      await answer;
    },
  },
  {
    name: 'session-cancelled-by-temporal',
    input: { turnId: 'recorded-turn-that-has-ended' },
    activities: new ScriptedSession(),
    async play(handle) {
      await pause(300);
      await handle.cancel();
    },
  },
];
