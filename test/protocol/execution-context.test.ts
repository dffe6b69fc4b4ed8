// Tier: pure core. What a run refuses to start with.
import { describe, expect, it } from '@jest/globals';
import {
  type ExecutionContextInput,
  ProtocolExecutionContext,
} from '../../src/protocol/execution-context.ts';
import type { ProtocolConfig } from '../../src/protocol/ports.ts';
import { ProtocolEventTypes } from '../../src/protocol/protocol-events.ts';
import { ProtocolStrategy } from '../../src/protocol/protocol-strategy.ts';
import { TwoStageProtocol } from '../../src/protocol/two-stage-protocol.ts';
import { collect, fakeTurn } from '../support/fake-ports.ts';

const start = (change: Partial<Record<keyof ExecutionContextInput, unknown>>): Promise<unknown> => {
  const context = { ...fakeTurn().context, ...change } as ExecutionContextInput;
  return collect(new TwoStageProtocol(fakeTurn().context).executeStreaming(context));
};

describe('an execution context', () => {
  it.each(['messages', 'mode', 'projectId', 'requestId', 'adapter', 'tools', 'traceService', 'config'])(
    'without %s is refused by name',
    async (field) => {
      await expect(start({ [field]: undefined })).rejects.toThrow(`${field} is required`);
      await expect(start({ [field]: null })).rejects.toThrow(`${field} is required`);
    },
  );

  it('with an unknown mode is refused', async () => {
    await expect(start({ mode: 'yolo' })).rejects.toThrow('mode: expected plan or act, received "yolo"');
  });

  it('takes toolRegistry for tools', () => {
    const { tools, ...rest } = fakeTurn().context;
    const context = new ProtocolExecutionContext({
      ...rest,
      toolRegistry: tools as NonNullable<typeof tools>,
    });
    expect(context.tools).toBe(tools);
    expect(context.toolRegistry).toBe(tools);
  });

  it.each<[ProtocolConfig, RegExp]>([
    [{ maxPhaseCycles: 51 }, /^maxPhaseCycles: .*50.*received 51/],
    [{ maxPhaseCycles: 1.5 }, /^maxPhaseCycles: .*received 1.5/],
    [{ maxDuplicateAttempts: 0 }, /^maxDuplicateAttempts: .*received 0/],
    [{ maxTurnMs: 3_600_001 }, /^maxTurnMs: /],
    [{ toolResultRole: 'user' as 'tool' }, /^toolResultRole: expected tool or system, received "user"/],
  ])('with %j is refused, never clamped', async (config, message) => {
    await expect(start({ config })).rejects.toThrow(message);
  });

  it('takes the default for a null budget', async () => {
    await expect(start({ config: { maxPhaseCycles: null } })).resolves.toHaveLength(3);
  });
});

describe('names that others rely on', () => {
  it('ProtocolEventTypes', () => {
    expect(ProtocolEventTypes).toEqual({
      CHUNK: 'chunk',
      TOOL_CALLS: 'tool_calls',
      DONE: 'done',
      PHASE: 'phase',
      ERROR: 'error',
      TOOL_RESULT: 'tool_result',
      WRITE_SESSION: 'write_session',
      RESET: 'reset',
    });
  });

  it('a protocol that implements nothing says so', async () => {
    class Empty extends ProtocolStrategy {}
    const { context } = fakeTurn();
    const empty = new Empty();
    expect(() => empty.getName()).toThrow('getName() must be implemented by protocol');
    expect(() => empty.canHandle(context)).toThrow('canHandle() must be implemented by protocol');
    await expect(collect(empty.executeStreaming(context))).rejects.toThrow(
      'executeStreaming() must be implemented by protocol',
    );
  });
});
