/**
 * An undo sleeps at every operation while another session tries to write the same file: the other text is never lost.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  lookAt,
  openCommitGround,
  type Begun,
  type CommitGround,
  type Scenario,
} from '../support/commit-ground.ts';
import type { CommittingProcess, Ended } from '../support/committing-process.ts';

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'of a create': { operation: 'create', content: 'new\n', after: 'new\n', isFromDraft: false },
  'of an overwrite': {
    operation: 'overwrite',
    before: 'old\n',
    content: 'new\n',
    after: 'new\n',
    isFromDraft: false,
  },
};
const LATER = 'written by the next session\n';

let ground: CommitGround;
let sleeper: CommittingProcess;
beforeAll(async () => {
  ground = await openCommitGround();
  sleeper = await ground.startProcess();
});
afterAll(async () => {
  await sleeper.end();
  await ground.close();
});

const { signal } = new AbortController();

const committed = async (scenario: Scenario): Promise<Begun> => {
  const begun = await ground.begin(scenario);
  expect(await ground.committer.commit(begun.input, signal)).toMatchObject({ kind: 'committed' });
  await ground.repository.end(begun.input.sessionId, 'committed');
  return begun;
};

const endOf = (ended: Ended | 'killed'): Ended => {
  if (ended === 'killed') throw new Error('expected an end, received a death');
  return ended;
};

/** Reports whether the other session could write before the undo woke up. */
const race = async (scenario: Scenario, at: number): Promise<boolean> => {
  const begun = await committed(scenario);
  const { wake } = await sleeper.commitUntilAsleep(begun.input, at, 'undo');
  const later = await ground.beginAgain(begun, LATER);
  if (later) {
    expect(await ground.committer.commit(later, signal)).toMatchObject({ kind: 'committed' });
    await ground.repository.end(later.sessionId, 'committed');
  }
  const { outcome } = endOf(await wake());
  const { text, beside } = await lookAt(begun.target);
  expect({ at, text, beside }).toEqual({ at, text: later ? LATER : scenario.before, beside: [] });
  // The undo was refused, or failed to get the lock, which a process that sleeps for 10 s loses.
  expect({ at, isUndone: outcome?.kind === 'undone' }).toEqual({ at, isUndone: later === undefined });
  return later !== undefined;
};

describe.each(Object.entries(SCENARIOS))('an undo %s', (_name, scenario) => {
  it('never removes a text that another session has written meanwhile', async () => {
    const { seen } = endOf(await sleeper.undo((await committed(scenario)).input));
    const races: { readonly operation: string; readonly hasLaterWritten: boolean }[] = [];
    for (const [index, operation] of seen.entries()) {
      races.push({ operation, hasLaterWritten: await race(scenario, index + 1) });
    }
    // Until the undo has the lock, another session may write first; from then on that session has to wait.
    expect(races[0]).toEqual({ operation: 'query', hasLaterWritten: true });
    const changes = races.filter(({ operation }) => operation !== 'query');
    expect(changes.length).toBeGreaterThan(1);
    expect(changes.filter(({ hasLaterWritten }) => hasLaterWritten)).toEqual([]);
  }, 120_000);
});
