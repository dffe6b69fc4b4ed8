import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { applyEvent, newSession, statusOf } from '../../src/write-session/session-state.ts';
import { content, SessionRun, TIMEOUT_MS, type Action } from './support/session-run.ts';

const A = content('a');
const B = content('b');

const contents = fc.constantFrom(A, B, undefined);
const actions: fc.Arbitrary<Action> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('finalize' as const), content: contents }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('touch' as const), draft: contents }) },
  { weight: 1, arbitrary: fc.constant({ do: 'cancel' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('hold' as const), ms: fc.integer({ min: 0, max: 3_000 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 1_200 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('commit' as const),
      result: fc.constantFrom('committed' as const, 'failed' as const, 'failed' as const, 'lost' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('close' as const), written: fc.boolean() }) },
);

const played = (...list: Action[]): SessionRun => {
  const run = new SessionRun();
  for (const action of list) run.play(action);
  return run;
};

/** Checks every order of callers, timer, commit and closer that the workflow can meet. */
const always = (check: (run: SessionRun) => void): void =>
  fc.assert(
    fc.property(fc.array(actions, { maxLength: 30 }), (list) => {
      const run = played(...list);
      run.finish();
      check(run);
    }),
    { numRuns: 2_000 },
  );

const finalizing = (of: typeof A | undefined): Action => ({ do: 'finalize', content: of });
const waiting = (ms: number): Action => ({ do: 'wait', ms });
const COMMITTED: Action = { do: 'commit', result: 'committed' };
const FAILED: Action = { do: 'commit', result: 'failed' };
const CLOSED: Action = { do: 'close', written: false };

describe('a write session, whatever the order of events', () => {
  it('ends, once, and stays so', () =>
    always(({ states }) => {
      const ends = states
        .map(({ stage }) => stage)
        .filter((stage) => /committed|cancelled|expired/.test(stage));
      expect(new Set(ends).size).toBe(1);
      expect(states.at(-1)?.stage).toBe(ends[0]);
    }));

  it('answers each finalize, with an answer that never changes', () =>
    always((run) => {
      for (const [ticket, last] of run.answers()) {
        expect(last).toBeDefined();
        const given = run.states
          .map(({ outcomes }) => outcomes[ticket])
          .filter((answer) => answer !== undefined);
        expect(given.every((answer) => answer === last)).toBe(true);
      }
    }));

  it('writes at most once, and says committed exactly when it has', () =>
    always(({ written, state }) => {
      expect(written.length).toBeLessThanOrEqual(1);
      expect(state.stage === 'committed').toBe(written.length === 1);
    }));

  it('reports no commit to a caller that named another content', () =>
    always((run) => {
      for (const [ticket, answer] of run.answers()) {
        if (answer?.kind !== 'committed') continue;
        expect(answer.content).toEqual(run.state.committed);
        expect(run.asked.get(ticket)?.sha256 ?? answer.content.sha256).toBe(answer.content.sha256);
      }
    }));

  it('does not expire before silence has lasted, nor over a finalize', () => {
    let expired = 0;
    always(({ states, silenceAtExpiry }) => {
      const closing = states.findIndex((state) => state.closing === 'expired');
      if (closing === -1) return;
      expired += 1;
      expect(silenceAtExpiry).toBeGreaterThanOrEqual(TIMEOUT_MS);
      expect(states[closing - 1]).toMatchObject({ stage: 'awaiting_content', tickets: [] });
    });
    expect(expired).toBeGreaterThan(100);
  });
});

describe('a write session', () => {
  it('commits, and answers later finalizes from what it ended with', () => {
    const run = played(finalizing(A), COMMITTED, CLOSED, finalizing(A), finalizing(B), finalizing(undefined));
    expect(run.answers().map(([, answer]) => answer)).toEqual([
      { kind: 'committed', content: A },
      { kind: 'committed', content: A },
      { kind: 'ended', stage: 'committed' },
      { kind: 'committed', content: A },
    ]);
  });

  it('answers nobody before the end is in the row', () => {
    const run = played(finalizing(A), COMMITTED);
    expect(run.state).toMatchObject({ stage: 'committing', outcomes: {} });
  });

  it('ignores the outcome of a commit that is not under way', () => {
    const before = newSession(0, TIMEOUT_MS);
    const outcome = { kind: 'committed', content: A } as const;
    expect(applyEvent(before, { type: 'commit_ended', at: 1, outcome })).toEqual(before);
    const after = applyEvent(before, { type: 'closed', end: 'expired' });
    expect(applyEvent(after, { type: 'commit_ended', at: 1, outcome })).toEqual(after);
  });

  it('makes two finalizes of one content one write', () => {
    const run = played(finalizing(A), finalizing(A), FAILED);
    expect(run.answers().map(([, answer]) => answer?.kind)).toEqual(['failed', 'failed']);
    expect(run.state.stage).toBe('awaiting_content');
  });

  it('tries the queued content after another one has failed', () => {
    const run = played(finalizing(A), finalizing(B), FAILED, COMMITTED, CLOSED);
    expect(run.answers().map(([, answer]) => answer?.kind)).toEqual(['failed', 'committed']);
    expect(run.written).toEqual([B]);
  });

  it('commits the last announced draft when nothing is named', () => {
    const run = played({ do: 'touch', draft: A }, { do: 'touch', draft: undefined }, finalizing(undefined));
    run.play(COMMITTED);
    expect(run.written).toEqual([A]);
  });

  it('lets a finalize that comes while it closes wait for the end, and changes nothing else', () => {
    const run = played(waiting(TIMEOUT_MS), finalizing(A));
    expect(run.state).toMatchObject({ stage: 'awaiting_content', closing: 'expired', outcomes: {} });
    run.play(CLOSED);
    expect(run.state.outcomes[1]).toEqual({ kind: 'ended', stage: 'expired' });
  });

  it('counts a failed commit as activity when it has failed, not when it was asked for', () => {
    const run = played(finalizing(A), waiting(900), FAILED);
    expect(statusOf(run.state).expiresAt).toBe(900 + TIMEOUT_MS);
  });

  it('gives up a commit that is cancelled, and says committed when that had reached the target', () => {
    const run = played(finalizing(A), { do: 'cancel' }, COMMITTED, { do: 'close', written: true });
    expect(run.state.stage).toBe('committed');
    expect(run.state.outcomes[1]).toEqual({ kind: 'committed', content: A });
  });

  it('expires a timeout after the last activity, be it a touch or a failed finalize', () => {
    const half = TIMEOUT_MS / 2;
    const run = played(waiting(half), { do: 'touch', draft: undefined }, waiting(half + 1));
    expect(run.state.closing).toBeNull();
    expect(statusOf(run.state).expiresAt).toBe(half + TIMEOUT_MS);
    for (const action of [finalizing(A), waiting(half), FAILED, waiting(half)]) run.play(action);
    expect(run.state.closing).toBeNull();
    run.play(waiting(TIMEOUT_MS));
    expect(run.state.closing).toBe('expired');
  });

  it('prefers a finalize to the expiry that would come at the same moment', () => {
    const run = played(waiting(TIMEOUT_MS - 1), finalizing(A), waiting(1), COMMITTED, CLOSED);
    expect(run.state.stage).toBe('committed');
  });
});

describe('a write session that a person must approve', () => {
  const held = (ms: number): Action => ({ do: 'hold', ms });

  it('does not expire before the hold ends, and then after a whole timeout', () => {
    const run = played(held(5_000), waiting(TIMEOUT_MS), waiting(4_900));
    expect(run.state.stage).toBe('awaiting_content');
    expect(statusOf(run.state).expiresAt).toBe(5_000 + TIMEOUT_MS);
    run.play(waiting(TIMEOUT_MS));
    expect(run.state.closing).toBe('expired');
  });

  it('counts the timeout again from the finalize on', () => {
    const run = played(held(50_000), waiting(10), finalizing(A), FAILED);
    expect(run.state.held).toBeNull();
    expect(statusOf(run.state).expiresAt).toBe(10 + TIMEOUT_MS);
  });
});
