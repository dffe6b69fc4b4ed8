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

/** Creates a prefetch of prompts that records how often one was built; the first `failures` builds fail. */
const setUp = (failures = 0) => {
  const clock = new ManualClock();
  const world = { built: 0 };
  const prompts = new PromptPrefetch({
    clock,
    build: ({ turnId }) => {
      world.built += 1;
      if (world.built <= failures) return Promise.reject(new Error('Postgres is away'));
      return Promise.resolve(saying(`${turnId} ${world.built}`));
    },
  });
  return { clock, world, prompts };
};

describe('prefetched prompts', () => {
  it('are built once for a turn that was begun here', async () => {
    const { world, prompts } = setUp();
    prompts.begin(turn('a'));
    prompts.begin(turn('a'));
    expect(await prompts.take(turn('a'))).toEqual(saying('a 1'));
    expect(world.built).toBe(1);
  });

  it('are built when asked for, for a turn that was begun elsewhere and for a second attempt', async () => {
    const { prompts } = setUp();
    prompts.begin(turn('a'));
    expect(await prompts.take(turn('b'))).toEqual(saying('b 2'));
    await prompts.take(turn('a'));
    expect(await prompts.take(turn('a'))).toEqual(saying('a 3'));
  });

  it('are built again when the first one failed, and fail as that one does', async () => {
    const { prompts } = setUp(3);
    prompts.begin(turn('a'));
    await expect(prompts.take(turn('a'))).rejects.toThrow('Postgres is away');
    prompts.begin(turn('b'));
    expect(await prompts.take(turn('b'))).toEqual(saying('b 4'));
  });

  it('are dropped after two seconds, and are at most a hundred', async () => {
    const { clock, world, prompts } = setUp();
    for (let i = 0; i < 150; i += 1) prompts.begin(turn(`t${i}`));
    expect(world.built).toBe(100);
    await clock.pass(2_000);
    expect(await prompts.take(turn('t0'))).toEqual(saying('t0 101'));
  });
});
