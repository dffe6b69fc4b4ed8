/** These are the names and fields by which hosts know the protocol classes (docs/protocol.md "Embedding"). */
import { describe, expect, it } from '@jest/globals';
import {
  type HostContext,
  ProtocolExecutionContext,
  ProtocolStrategy,
  StandardProtocol,
  TwoStageProtocol,
} from '../../src/compat/host-protocols.ts';
import type { LlmAdapter } from '../../src/compat/llm-adapter.ts';
import type { ModelPort } from '../../src/protocol/ports/model-port.ts';
import { ProtocolEventTypes } from '../../src/compat/protocol-event-types.ts';
import { collect, ends, fakeTurn, says, terminalOf } from '../support/fake-ports.ts';
import { untyped } from '../support/untyped.ts';

/**
 * Creates the context of a host: its adapter has only the method that is called, and its tools have their other name.
 */
const hostTurn = (answer = 'Hello.') => {
  const { context, ...turn } = fakeTurn({ model: () => [says(answer), ends()] });
  const adapter: LlmAdapter = {
    sendMessagesStreaming: (messages, options) => turn.adapter.sendMessagesStreaming(messages, options),
  };
  const { tools: toolRegistry, ...rest } = context;
  const host: HostContext = { ...rest, adapter, toolRegistry };
  return { ...turn, host };
};

describe.each([TwoStageProtocol, StandardProtocol])('%p of a host', (Protocol) => {
  it('runs over an adapter and a tool registry', async () => {
    const { host, adapter } = hostTurn();
    const events = await collect(new Protocol(host).executeStreaming(host));
    expect(terminalOf(events)).toMatchObject({ type: 'done', fullContent: 'Hello.', reason: 'answered' });
    expect(adapter.calls[0]?.options.context).toEqual({ projectId: 'p1', requestId: 'r1', mode: 'act' });
  });

  it('shows the values that it was made from, its tools under the name of the core', () => {
    const { host, tools, traceService } = hostTurn();
    const adapter: ModelPort = { callModel: () => Promise.reject(new Error('not called')) };
    const protocol = new Protocol({ ...host, adapter });
    expect(protocol.adapter).toBe(adapter);
    expect(protocol.tools).toBe(tools);
    expect(protocol.traceService).toBe(traceService);
  });

  it.each(['adapter', 'toolRegistry', 'traceService'] as const)('names a missing %s', async (field) => {
    const { host } = hostTurn();
    const name = field === 'toolRegistry' ? 'tools' : field;
    for (const missing of [undefined, null]) {
      const context: HostContext = { ...host, [field]: untyped(missing) };
      await expect(collect(new Protocol(host).executeStreaming(context))).rejects.toThrow(
        `${name} is required`,
      );
    }
  });
});

it('a context has its tools under both names', () => {
  const { host, tools } = hostTurn();
  const context = new ProtocolExecutionContext(host);
  expect(context.tools).toBe(tools);
  expect(context.toolRegistry).toBe(tools);
});

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
  expect(() => void Reflect.construct(ProtocolStrategy, [])).toThrow(
    new TypeError('ProtocolStrategy is abstract: construct a class that extends it'),
  );
  class Empty extends ProtocolStrategy {}
  const { host } = hostTurn();
  const empty = new Empty();
  expect(() => empty.getName()).toThrow('getName() must be implemented by protocol');
  expect(() => empty.canHandle(host)).toThrow('canHandle() must be implemented by protocol');
  await expect(collect(empty.executeStreaming(host))).rejects.toThrow(
    'executeStreaming() must be implemented by protocol',
  );
});
