import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { stat, writeFile } from 'node:fs/promises';
import { lookAt, openCommitGround, type Begun, type CommitGround, type Scenario } from './commit-ground.ts';
import type { CommittingProcess, Ended } from './committing-process.ts';
import type { Ambush } from './counted-operations.ts';
import { logLine } from '../../support/test-log.ts';

// A commit reads chunks of 256 KiB, so each of these texts takes several.
const old = '\ufeffold\r\n'.repeat(40_000);
const content = `${'line 😀\n'.repeat(60_000)}no final newline`;

const SCENARIOS = {
  create: { operation: 'create', content, after: content, isFromDraft: false },
  overwrite: { operation: 'overwrite', before: old, content, after: content, isFromDraft: false },
  'overwrite with a copy': {
    operation: 'overwrite',
    before: old,
    content,
    after: content,
    isFromDraft: false,
    isShared: true,
  },
  'overwrite that was approved': {
    operation: 'overwrite',
    before: old,
    content,
    after: content,
    isFromDraft: false,
    isApproved: true,
  },
  'append of a draft': { operation: 'append', before: old, content, after: old + content, isFromDraft: true },
} satisfies Readonly<Record<string, Scenario>>;

export type ScenarioName = keyof typeof SCENARIOS;

let ground: CommitGround;

const signal = new AbortController().signal;

/** Returns the operations of an undisturbed commit, before each of which a process can die. */
const operationsOf = async (scenario: Scenario): Promise<readonly string[]> => {
  const process = await ground.startProcess();
  try {
    const { input, target } = await ground.begin(scenario);
    const ended = endedOf(await process.commit(input));
    expect(ended.outcome).toMatchObject({ kind: 'committed' });
    expect(await lookAt(target)).toEqual({ text: scenario.after, beside: [] });
    return ended.seen;
  } finally {
    await process.end();
  }
};

const endedOf = (ended: Ended | 'killed'): Ended => {
  if (ended === 'killed') throw new Error('expected an end, received a death');
  return ended;
};

const ambushesOn = (operations: readonly string[]): Ambush[] =>
  operations.flatMap((name, index) => {
    const kill = { at: index + 1, signal: 'SIGKILL' as const, isTorn: false };
    return name === 'writeFile' ? [kill, { ...kill, isTorn: true }] : [kill];
  });

const checkDeath = async (scenario: Scenario, ambush: Ambush): Promise<void> => {
  const { input, target } = await ground.begin(scenario);
  const process = await ground.startProcess();
  expect(await process.commit(input, ambush)).toBe('killed');
  const { text } = await lookAt(target);
  expect([scenario.before, scenario.after].includes(text)).toBe(true);
  for (const attempt of ['second', 'repeated']) {
    const outcome = await ground.committer.commit(input, signal);
    expect({ attempt, ...outcome }).toMatchObject({ attempt, kind: 'committed' });
    const left = await lookAt(target);
    expect({ ...left, text: left.text === scenario.after }).toEqual({ text: true, beside: [] });
  }
  if (scenario.before !== undefined) expect((await stat(target)).mode & 0o777).toBe(0o640);
};

/**
 * Kills a commit, then changes the target unless it was written: nobody has approved overwriting that change. Returns
 * the kind of outcome of the next attempt.
 */
const checkChange = async (scenario: Scenario, ambush: Ambush): Promise<string> => {
  const { input, target } = await ground.begin(scenario);
  const process = await ground.startProcess();
  expect(await process.commit(input, ambush)).toBe('killed');
  const wasWritten = (await lookAt(target)).text === scenario.after;
  if (!wasWritten) await writeFile(target, FOREIGN);
  const outcome = await ground.committer.commit(input, signal);
  expect(outcome).toMatchObject(
    wasWritten
      ? { kind: 'committed' }
      : { kind: 'failed', reason: 'The file changed after it was approved.' },
  );
  expect(await lookAt(target)).toEqual({ text: wasWritten ? scenario.after : FOREIGN, beside: [] });
  return outcome.kind;
};

/**
 * Ways in which the lock on the target is taken from an attempt while it sleeps; each leaves the target and the row in
 * their final state.
 */
const MOVES: Readonly<Record<string, (begun: Begun, scenario: Scenario) => Promise<void>>> = {
  'a closer ends the session': async ({ input, target }, scenario) => {
    await ground.repository.markClosing(input.sessionId);
    const settled = await ground.committer.endAttempts(input.sessionId);
    expect((await lookAt(target)).text === scenario.after).toBe(settled === 'committed');
    await ground.repository.end(input.sessionId, settled === 'committed' ? 'committed' : 'expired');
  },
  'a later attempt commits': async ({ input }) => {
    expect(await ground.committer.commit(input, signal)).toMatchObject({ kind: 'committed' });
  },
};

/**
 * The text of another session, written after an attempt lost the lock: that attempt may not overwrite it when it wakes
 * up.
 */
const FOREIGN = 'written after the session\n';

const checkSleep = async (
  process: CommittingProcess,
  { scenario, at, move }: { readonly scenario: Scenario; readonly at: number; readonly move: string },
): Promise<boolean> => {
  const begun = await ground.begin(scenario);
  const { wake } = await process.commitUntilAsleep(begun.input, at);
  await MOVES[move]?.(begun, scenario);
  const wasThere = (await lookAt(begun.target)).text !== undefined;
  if (wasThere) await writeFile(begun.target, FOREIGN);
  const { outcome } = endedOf(await wake());
  const left = await lookAt(begun.target);
  expect({ at, move, ...left }).toEqual({ at, move, text: wasThere ? FOREIGN : undefined, beside: [] });
  return outcome?.kind === 'committed';
};

/**
 * Returns the moves of files whose bytes were not synced before, or whose directory was not synced before the row was
 * updated. Links that only name a temporary file do not count.
 */
const unsyncedMoves = (operations: readonly string[]): string[] =>
  operations.flatMap((name, index) => {
    if (name !== 'rename' && name !== 'link') return [];
    const before = operations.slice(0, index).findLast((other) => other === 'writeFile' || other === 'sync');
    const after = operations.slice(index).find((other) => other === 'query' || other === 'sync');
    return before === 'sync' && after === 'sync' ? [] : [`${name} at ${index + 1}`];
  });

/**
 * Kills an approved commit before each of its operations, and changes its target. The file that calls this must also
 * call `itSurvivesStrikes`, which opens the ground of both.
 */
export const itWritesOnlyWhatWasApproved = (): void => {
  it('killed at any operation, and its target changed: what was approved is not what would be replaced', async () => {
    const scenario: Scenario = SCENARIOS['overwrite that was approved'];
    const ambushes = ambushesOn(await operationsOf(scenario));
    const kinds = new Set<string>();
    for (const ambush of ambushes) kinds.add(await checkChange(scenario, ambush));
    expect(kinds).toEqual(new Set(['committed', 'failed']));
    logLine(`approved: ${ambushes.length} deaths with a change after them`);
  }, 300_000);
};

/** Kills a commit, and puts it to sleep, before each operation that it has, in each of these scenarios. */
export const itSurvivesStrikes = (...names: readonly ScenarioName[]): void => {
  beforeAll(async () => {
    ground = await openCommitGround();
  });
  afterAll(() => ground.close());

  describe.each(names)('commit struck at every operation: %s', (name) => {
    const scenario: Scenario = SCENARIOS[name];
    let operations: readonly string[];
    beforeAll(async () => {
      operations = await operationsOf(scenario);
    });

    it('bytes are synced before they get their name, and the name before it is reported: no power cut undoes it', () => {
      expect(
        operations.filter((operation) => operation === 'rename' || operation === 'link').length,
      ).toBeGreaterThan(0);
      expect(unsyncedMoves(operations)).toEqual([]);
    });

    it('killed at any operation or in a torn write: a second attempt completes it, and no temporary file is left', async () => {
      const ambushes = ambushesOn(operations);
      for (let next = 0; next < ambushes.length; next += 3) {
        await Promise.all(ambushes.slice(next, next + 3).map((ambush) => checkDeath(scenario, ambush)));
      }
      logLine(`${name}: ${ambushes.length} deaths at ${operations.length} operations`);
      expect(operations.length).toBeGreaterThan(12);
    }, 300_000);

    it('asleep at any operation while the lock moves on: it does not change the target when it wakes up', async () => {
      const sleeper = await ground.startProcess();
      try {
        let sleeps = 0;
        for (const move of Object.keys(MOVES)) {
          for (let at = 1; at <= operations.length; at += 1) {
            await checkSleep(sleeper, { scenario, at, move });
            sleeps += 1;
          }
        }
        logLine(`${name}: ${sleeps} sleeps`);
      } finally {
        await sleeper.end();
      }
    }, 300_000);
  });
};
