/**
 * Tests what the workflow is told of a commit that may not, or cannot yet, be completed; the committer is a stand-in.
 */
import { describe, expect, it } from '@jest/globals';
import { ActivityCancellationDetails } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { createCommitWrite } from '../../../activities/write-session/write-session-activities.ts';
import { TURN_SUPERSEDED } from '../../../src/contracts/payload/turn-activity-payloads.ts';
import type { WriteSessionRepository } from '../../../src/db/write-sessions/write-session-repository.ts';
import { CommitSupersededError } from '../../../src/files/commit/commit-failure.ts';
import type { Committer } from '../../../src/files/commit/committer.ts';
import type { CommitOutcome } from '../../../src/contracts/write-session/session-messages.ts';
import { partOf } from '../../support/part-of.ts';

const INPUT = { sessionId: '31a0d1b0-6f0e-4a53-8a55-3b9c1f5d9d3e', firstExecutionRunId: 'first-run' };
const FAILED: CommitOutcome = { kind: 'failed', code: 'write_failed', reason: 'file exists: a.md' };

const environmentOf = (runId = 'first-run') =>
  new MockActivityEnvironment(
    { workflowExecution: { workflowId: 'w', runId }, heartbeatTimeoutMs: 30_000 },
    { logger: new DefaultLogger('ERROR') },
  );

/** None of these attempts commits, so no row has to be ended. */
const repository = partOf<WriteSessionRepository>({});
const refuse = () => Promise.reject(new Error('expected no end of the session'));

const run = (commit: Committer['commit'], environment = environmentOf()): Promise<unknown> => {
  const deps = {
    pingTemporal: () => Promise.resolve(),
    committer: { commit, endAttempts: refuse, forget: refuse },
    repository,
  };
  return environment.run(createCommitWrite(deps), INPUT);
};

describe('commitWrite', () => {
  it('a failure that the caller has to know about is an outcome', async () => {
    expect(await run(() => Promise.resolve(FAILED))).toEqual(FAILED);
  });

  it('an attempt that may not write fails for good; one of a reset run does not even reach the committer', async () => {
    let attempts = 0;
    const superseded = () => {
      attempts += 1;
      return Promise.reject(new CommitSupersededError(INPUT.sessionId));
    };
    const failure = { type: TURN_SUPERSEDED, nonRetryable: true };
    await expect(run(superseded)).rejects.toMatchObject(failure);
    await expect(run(superseded, environmentOf('reset-run'))).rejects.toMatchObject(failure);
    expect(attempts).toBe(1);
  });

  it('waits for Postgres instead of failing', async () => {
    let attempts = 0;
    const outcome = await run(() => {
      attempts += 1;
      if (attempts < 3) return Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));
      return Promise.resolve(FAILED);
    });
    expect([outcome, attempts]).toEqual([FAILED, 3]);
  });

  it.each([
    ['a shutdown of the worker lets another attempt follow at once', {}, { type: 'attempt_interrupted' }],
    ['a cancel of the session gives it up', { cancelRequested: true }, { message: 'stop' }],
  ])('%s', async (_name, details, expected) => {
    const environment = environmentOf();
    const running = run(
      (_input, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('stop')));
          environment.cancel('CANCELLED', new ActivityCancellationDetails(details));
        }),
      environment,
    );
    await expect(running).rejects.toMatchObject(expected);
  });
});
