/** Covers what a run refuses to start with. */
import { describe, expect, it } from '@jest/globals';
import {
  type ExecutionContextParts,
  ProtocolExecutionContext,
} from '../../../src/protocol/turn/execution-context.ts';
import type { ProtocolConfig } from '../../../src/contracts/turn/budgets.ts';
import { createProtocol } from '../../../src/protocol/protocols/protocol-registry.ts';
import { TwoStageProtocol } from '../../../src/protocol/protocols/two-stage-protocol.ts';
import { collect, fakeTurn } from '../../support/fake-ports.ts';

const start = (change: Partial<Record<keyof ExecutionContextParts, unknown>>): Promise<unknown> => {
  const context = { ...fakeTurn().context, ...change } as ExecutionContextParts;
  return collect(new TwoStageProtocol(fakeTurn().context).executeStreaming(context));
};

describe('an execution context', () => {
  it.each(['messages', 'mode', 'projectId', 'requestId', 'adapter', 'tools', 'traceService'])(
    'without %s is refused by name',
    async (field) => {
      await expect(start({ [field]: undefined })).rejects.toThrow(`${field} is required`);
      await expect(start({ [field]: null })).rejects.toThrow(`${field} is required`);
    },
  );

  it('with an unknown mode is refused', async () => {
    await expect(start({ mode: 'yolo' })).rejects.toThrow('mode: expected plan or act, received "yolo"');
  });

  it.each<[ProtocolConfig, RegExp]>([
    [{ maxPhaseCycles: 51 }, /^maxPhaseCycles: .*50.*received 51/],
    [{ maxPhaseCycles: 1.5 }, /^maxPhaseCycles: .*received 1.5/],
    [{ maxDuplicateAttempts: 0 }, /^maxDuplicateAttempts: .*received 0/],
    [{ maxTurnMs: 3_600_001 }, /^maxTurnMs: /],
    [{ temperature: 2.1 }, /^temperature: expected 0 to 2, received 2.1/],
    [{ toolResultRole: 'user' as 'tool' }, /^toolResultRole: expected tool or system, received "user"/],
  ])('with %j is refused, never clamped', async (config, message) => {
    await expect(start({ config })).rejects.toThrow(message);
  });

  it('takes the default for a null budget', async () => {
    await expect(start({ config: { maxPhaseCycles: null } })).resolves.toHaveLength(3);
  });

  it.each([undefined, null, {}])('needs no config: %j stands for the defaults', (config) => {
    const { config: _config, ...rest } = fakeTurn().context;
    const context = new ProtocolExecutionContext({ ...rest, config: config as ProtocolConfig });
    expect(context.config).toEqual({
      maxPhaseCycles: 3,
      maxPhaseCyclesLimit: 50,
      maxDuplicateAttempts: 3,
      maxToolsPerToolPhase: 1,
      maxMalformedCalls: 3,
      maxRefusals: 3,
      maxNoProgress: 6,
      maxTurnMs: 600_000,
      maxTurnTokens: 65_536,
      debugShowToolResults: false,
      toolResultRole: 'tool',
    });
  });

  it('prefers given values to the defaults, 0 included', () => {
    const config = { maxPhaseCycles: 0, debugShowToolResults: true, temperature: 0 };
    const context = new ProtocolExecutionContext({ ...fakeTurn().context, config });
    expect(context.config).toMatchObject({ ...config, maxDuplicateAttempts: 3 });
  });

  it.each(['two_stage', 'standard'] as const)('without config runs %s to its end', async (protocol) => {
    const { config: _config, ...context } = fakeTurn().context;
    const events = await collect(createProtocol(protocol, context).executeStreaming(context));
    expect(events.at(-1)).toMatchObject({ type: 'done', fullContent: 'Hello.', reason: 'answered' });
  });
});

describe.each(['two_stage', 'standard'] as const)('a %s protocol', (name) => {
  it('calls the model with the temperature of the run, or with that of the mode', async () => {
    const temperatures = async (change: Partial<ExecutionContextParts>) => {
      const turn = fakeTurn(change);
      await collect(createProtocol(name, turn.context).executeStreaming(turn.context));
      return turn.adapter.calls.map(({ options }) => options.temperature);
    };
    expect(await temperatures({ config: { temperature: 1.2 } })).toEqual([1.2]);
    expect(await temperatures({ config: { temperature: 0 } })).toEqual([0]);
    expect(await temperatures({ config: {}, mode: 'plan' })).toEqual([0.7]);
    expect(await temperatures({ config: { temperature: undefined } })).toEqual([0.3]);
  });
});
