import { describe, expect, it } from '@jest/globals';
import type { BegunPrompt } from '../../src/prompts/prompt-service.ts';
import type { TurnToPrompt } from '../../src/contracts/payload/turn-workflow-payloads.ts';
import { PromptPrefetch } from '../../src/prompts/prompt-prefetch.ts';
import { ManualClock } from '../support/manual-clock.ts';

const turn = (turnId: string): TurnToPrompt => ({
  turnId,
  projectId: 'p',
  conversationId: 'c',
  mode: 'act',
  model: 'm',
});
const saying = (preface: string): BegunPrompt => ({
  anchorTurnId: 'a',
  summaryTurnId: null,
  preface,
  known: { files: [], instructions: null, skills: [] },
  earlier: { system: [], turns: [], isWhole: true, summary: null },
});

/** Creates contexts that record how often one was built; the first `failures` builds fail. */
const setUp = (failures = 0) => {
  const clock = new ManualClock();
  const world = { built: 0 };
  const contexts = new PromptPrefetch({
    clock,
    build: ({ turnId }) => {
      world.built += 1;
      if (world.built <= failures) return Promise.reject(new Error('Postgres is away'));
      return Promise.resolve(saying(`${turnId} ${world.built}`));
    },
  });
  return { clock, world, contexts };
};

describe('early contexts', () => {
  it('are built once for a turn that was begun here', async () => {
    const { world, contexts } = setUp();
    contexts.begin(turn('a'));
    contexts.begin(turn('a'));
    expect(await contexts.take(turn('a'))).toEqual(saying('a 1'));
    expect(world.built).toBe(1);
  });

  it('are built when asked for, for a turn that was begun elsewhere and for a second attempt', async () => {
    const { contexts } = setUp();
    contexts.begin(turn('a'));
    expect(await contexts.take(turn('b'))).toEqual(saying('b 2'));
    await contexts.take(turn('a'));
    expect(await contexts.take(turn('a'))).toEqual(saying('a 3'));
  });

  it('are built again when the early one failed, and fail as that one does', async () => {
    const { contexts } = setUp(3);
    contexts.begin(turn('a'));
    await expect(contexts.take(turn('a'))).rejects.toThrow('Postgres is away');
    contexts.begin(turn('b'));
    expect(await contexts.take(turn('b'))).toEqual(saying('b 4'));
  });

  it('are dropped after two seconds, and are at most a hundred', async () => {
    const { clock, world, contexts } = setUp();
    for (let i = 0; i < 150; i += 1) contexts.begin(turn(`t${i}`));
    expect(world.built).toBe(100);
    await clock.pass(2_000);
    expect(await contexts.take(turn('t0'))).toEqual(saying('t0 101'));
  });
});
