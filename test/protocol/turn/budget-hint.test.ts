import { describe, expect, it } from '@jest/globals';
import { SteerQueue } from '../../../src/protocol/inputs/steer-queue.ts';
import { StandardProtocol } from '../../../src/protocol/protocols/standard-protocol.ts';
import { collect, type FakeTurnParts, fakeTurn } from '../../support/fake-ports.ts';
import { asking, forEver, read, run } from '../support/two-stage-run.ts';

const HINT = /^One tool execution is left in this turn/;

/** Resolves to the number of messages in each model call that told it that one cycle is left. */
const hintsPerCall = async (settings: FakeTurnParts): Promise<number[]> => {
  const { adapter } = await run(settings);
  return adapter.calls.map(({ messages }) => messages.filter(({ content }) => HINT.test(content)).length);
};

const threeReads = forEver((n) => read(`f${n}`));

describe('the hint that one tool execution is left', () => {
  it.each([
    [3, [0, 0, 1, 1]],
    [2, [0, 1, 1]],
    [1, [1, 1]],
    [0, [0]],
  ])(
    'comes before the last of %i cycles, and stays in later model calls: %j',
    async (maxPhaseCycles, hints) => {
      expect(await hintsPerCall({ model: threeReads, config: { maxPhaseCycles } })).toEqual(hints);
    },
  );

  it('comes again after a message of the user, which is a grant', async () => {
    const steers = new SteerQueue();
    const say = { content: 'go on', when: 'boundary', by: { kind: 'local' }, at: 'then' } as const;
    const model = forEver((n) => {
      if (n === 2) steers.accept({ messageId: 'm', ...say });
      return read(`f${n}`);
    });
    // Two tools may run, and the message lets two more run.
    expect(await hintsPerCall({ model, steers, config: { maxPhaseCycles: 2 } })).toEqual([0, 1, 1, 2, 2]);
  });

  it('is a system message after the last result', async () => {
    const { adapter } = await run({
      model: asking(read('a')),
      config: { maxPhaseCycles: 2 },
    });
    const [, second] = adapter.calls;
    expect(second?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'system']);
    expect(second?.messages.at(-1)?.content).toMatch(HINT);
  });

  it('does not come again after refused repeats, which cost no cycle', async () => {
    const hints = await hintsPerCall({
      model: forEver(() => read('same')),
      config: { maxPhaseCycles: 2, maxDuplicateAttempts: 3 },
    });
    expect(hints).toEqual([0, 1, 1, 1, 1]);
  });

  it('comes neither in plan mode nor in the standard protocol', async () => {
    const settings: FakeTurnParts = { model: asking(read('a'), read('b')), config: { maxPhaseCycles: 1 } };
    expect(await hintsPerCall({ ...settings, mode: 'plan' })).toEqual([0, 0]);
    const { adapter, context } = fakeTurn(settings);
    await collect(new StandardProtocol(context).executeStreaming(context));
    expect(
      adapter.calls.flatMap(({ messages }) => messages).filter(({ content }) => HINT.test(content)),
    ).toEqual([]);
  });
});
