import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import type { ToolCall, ToolEffect } from '../../../src/contracts/tools/tool-call.ts';
import { createToolRegistry } from '../../../src/tools/registry.ts';
import { createToolRunner, type ToolRunnerContext } from '../../../src/tools/run/runner.ts';
import type { Tool, ToolContext, ToolOutcome } from '../../../src/tools/tool.ts';
import { keyName, MemoryLedger } from '../support/memory-ledger.ts';
import { WorkspaceError } from '../../../src/files/workspace/workspace-error.ts';
import { toolResultShape } from '../support/tool-result-shape.ts';
import { discardedCopies } from '../support/temp-workspace.ts';

/** The limits of attempts that end by themselves: a busy machine may hold up each of them. */
const UNHURRIED = { timeoutMs: 20_000, retryDelayMs: 1, graceMs: 20 };
/** The limits of attempts that do not end by themselves. */
const IMPATIENT = { ...UNHURRIED, timeoutMs: 60 };

const inputSchema = z.strictObject({ path: z.string(), count: z.number().int().min(1).optional() });

/** Returns a tool `Box_<effect>` that runs `execute`. */
const box = (effect: ToolEffect, execute: (context: ToolContext) => Promise<ToolOutcome>): Tool => ({
  declaration: { name: `Box_${effect}`, effect, pathArguments: [], volatileFields: [], defaults: {} },
  aliases: [effect],
  description: 'A box',
  input: inputSchema,
  execute: (_input, context) => execute(context),
});

const fine = (): Promise<ToolOutcome> => Promise.resolve({ ok: true, result: 'fine' });
const hang = (): Promise<ToolOutcome> => new Promise(() => undefined);

const callOf = (name: string, args = '{"path":"a"}'): ToolCall => ({
  id: 'call_1',
  type: 'function',
  function: { name, arguments: args },
});

const setUp = (tools: readonly Tool[], limits = UNHURRIED) => {
  const ledger = new MemoryLedger();
  const registry = createToolRegistry(tools);
  const runner = createToolRunner({
    registry,
    copies: discardedCopies,
    ledger,
    clock: { now: () => Date.now() },
    limits,
  });
  const context = (changes: Partial<ToolRunnerContext> = {}): ToolRunnerContext => ({
    turnId: 't1',
    projectId: 'p1',
    mode: 'act',
    phaseIndex: 1,
    position: 0,
    signal: new AbortController().signal,
    ...changes,
  });
  return { ledger, runner, context };
};

describe('tool runner: what may run', () => {
  it('a success has the shape of the contract, with the full name even for an alias', async () => {
    const { runner, context } = setUp([box('read', fine)]);
    const result = await runner.execute(callOf('read'), context());
    expect(toolResultShape.parse(result)).toEqual(result);
    expect(result).toMatchObject({
      toolCallId: 'call_1',
      toolName: 'Box.read',
      success: true,
      result: 'fine',
    });
    expect(result.attempts).toBe(1);
    expect(result.timestamp).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
  });

  it('an unknown tool, or the prefix of a known one, is answered with the available names', async () => {
    const { runner, context } = setUp([box('read', fine), box('write', fine)]);
    for (const name of ['Box', 'Box_rea', 'read_', '__proto__', '']) {
      const result = await runner.execute(callOf(name), context());
      expect(result).toMatchObject({ success: false, attempts: 1 });
      expect(result.error).toContain('available tools: Box_read, Box_write');
    }
  });

  it('a write asked for in plan mode is refused and not executed', async () => {
    let executed = 0;
    const write = box('write', () => {
      executed += 1;
      return fine();
    });
    const { runner, context, ledger } = setUp([write]);
    const result = await runner.execute(callOf('Box_write'), context({ mode: 'plan' }));
    expect(result.error).toContain('blocked in PLAN mode');
    expect(executed).toBe(0);
    expect(ledger.begun.size).toBe(0);
  });

  it.each([
    ['{"path":5}', 'path: expected a string, received 5'],
    ['{}', 'path: expected a string, received nothing'],
    ['', 'path: expected a string, received nothing'],
    ['{"path":"a","count":0}', 'count: expected at least 1, received 0'],
    ['{"path":"a","count":1.5}', 'count: expected an integer, received 1.5'],
    ['{"path":"a","lines":[1]}', 'lines: expected no such argument, received [1]'],
    ['null', 'arguments: expected a JSON object, received "null"'],
    ['[1]', 'arguments: expected a JSON object'],
    ['"x"', 'arguments: expected a JSON object'],
    ['{"path":"a"', 'arguments: expected a JSON object'],
    ["{'path':'a'}", 'arguments: expected a JSON object'],
    ['{"path":"a",}', 'arguments: expected a JSON object'],
  ])('arguments %s are refused: %s', async (args, text) => {
    const { runner, context } = setUp([box('read', fine)]);
    const result = await runner.execute(callOf('Box_read', args), context());
    expect(result).toMatchObject({ success: false, attempts: 1 });
    expect(result.error).toContain(text);
  });
});

describe('tool runner: attempts', () => {
  const failing = (failures: number, isTransient: boolean) => {
    let calls = 0;
    return (): Promise<ToolOutcome> => {
      calls += 1;
      return calls > failures
        ? fine()
        : Promise.resolve({ ok: false, error: `failure ${calls}`, isTransient });
    };
  };

  it.each(['read', 'poll'] as const)(
    'a %s is tried up to 3 times while the failure is transient',
    async (effect) => {
      const twice = setUp([box(effect, failing(2, true))]);
      expect(await twice.runner.execute(callOf(effect), twice.context())).toMatchObject({
        success: true,
        attempts: 3,
      });
      const ever = setUp([box(effect, failing(9, true))]);
      expect(await ever.runner.execute(callOf(effect), ever.context())).toMatchObject({
        error: 'failure 3',
        attempts: 3,
        retryable: true,
      });
    },
  );

  it('a write and a lasting failure are tried once', async () => {
    const write = setUp([box('write', failing(1, true))]);
    expect(await write.runner.execute(callOf('write'), write.context())).toMatchObject({
      success: false,
      attempts: 1,
      retryable: true,
    });
    const read = setUp([box('read', failing(1, false))]);
    const result = await read.runner.execute(callOf('read'), read.context());
    expect(result).toMatchObject({ success: false, attempts: 1 });
    expect(result.retryable).toBeUndefined();
  });

  it('a tool that throws, also something that is no Error, becomes a failure', async () => {
    const throwing = setUp([box('read', () => Promise.reject(new Error('boom')))]);
    expect(await throwing.runner.execute(callOf('read'), throwing.context())).toMatchObject({
      error: 'boom',
    });
    const odd = setUp([box('write', () => Promise.reject('no error'))]);
    expect(await odd.runner.execute(callOf('write'), odd.context())).toMatchObject({
      success: false,
      error: 'tool failed: no error',
    });
  });

  it.each([
    'EAGAIN',
    'EBUSY',
    'EMFILE',
    'ENFILE',
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
    'ETIMEDOUT',
    'EAI_AGAIN',
  ])('a read is tried again after %s, which may pass by itself', async (code) => {
    const throwing = setUp([box('read', () => Promise.reject(Object.assign(new Error('odd'), { code })))]);
    const expected = { error: 'odd', attempts: 3, retryable: true };
    expect(await throwing.runner.execute(callOf('read'), throwing.context())).toMatchObject(expected);
  });

  it.each(['ENOENT', 'EIO', 'ERR_INVALID_ARG_TYPE'])('a read is not tried again after %s', async (code) => {
    const throwing = setUp([box('read', () => Promise.reject(Object.assign(new Error('odd'), { code })))]);
    const result = await throwing.runner.execute(callOf('read'), throwing.context());
    expect(result).toMatchObject({ error: 'odd', attempts: 1 });
  });

  it('a read that hangs and ignores abort is given up at its timeout', async () => {
    const { runner, context } = setUp([box('read', hang)], IMPATIENT);
    const result = await runner.execute(callOf('read'), context());
    expect(result).toMatchObject({
      success: false,
      error: 'timed out after 0.06 s',
      retryable: true,
      attempts: 1,
    });
  });

  it('a write that timed out is reported as unknown, never as failed', async () => {
    const { runner, context } = setUp([box('write', hang)], IMPATIENT);
    const result = await runner.execute(callOf('write'), context());
    expect(result).toMatchObject({ success: false, error: 'OUTCOME_UNKNOWN' });
    expect(result.retryable).toBeUndefined();
  });

  it('a tool that finishes while it is being aborted keeps its success', async () => {
    const late = box('write', ({ signal }) => {
      const { promise, resolve } = Promise.withResolvers<ToolOutcome>();
      signal.addEventListener('abort', () => resolve({ ok: true, result: 'just in time' }));
      return promise;
    });
    const { runner, context } = setUp([late], IMPATIENT);
    expect(await runner.execute(callOf('write'), context())).toMatchObject({
      success: true,
      result: 'just in time',
    });
  });

  it('cancel rejects with its reason, also when the tool ignores it, and leaves no result behind', async () => {
    const cancel = new AbortController();
    const reason = new Error('turn cancelled');
    const { runner, context, ledger } = setUp([box('read', hang)]);
    const running = runner.execute(callOf('read'), context({ signal: cancel.signal }));
    cancel.abort(reason);
    await expect(running).rejects.toBe(reason);
    expect(ledger.results.size).toBe(0);
  });
});

describe('tool runner: ledger', () => {
  const counted = (effect: ToolEffect) => {
    const seen = { executions: 0 };
    const tool = box(effect, () => {
      seen.executions += 1;
      return Promise.resolve({ ok: true, result: seen.executions });
    });
    return { seen, ...setUp([tool]) };
  };

  it('a retried activity gets the stored result, the tool runs once', async () => {
    const { seen, runner, context } = counted('write');
    const first = await runner.execute(callOf('write'), context());
    expect(await runner.execute(callOf('write'), context())).toEqual(first);
    expect(seen.executions).toBe(1);
  });

  it('the place in the turn is the key: a reused call id at another place runs', async () => {
    const { seen, runner, context } = counted('write');
    await runner.execute(callOf('write'), context({ phaseIndex: 1 }));
    await runner.execute(callOf('write'), context({ phaseIndex: 3 }));
    await runner.execute(callOf('write'), context({ phaseIndex: 3, position: 1 }));
    expect(seen.executions).toBe(3);
  });

  it('an interrupted write is not reported until its temporary files are gone', async () => {
    const failures = [new WorkspaceError('busy', 'a.md', 'too many open files')];
    const tool: Tool = {
      ...box('write', () => Promise.resolve({ ok: true, result: 'done' })),
      abandon: () => {
        const failure = failures.pop();
        return failure ? Promise.reject(failure) : Promise.resolve();
      },
    };
    const { runner, context, ledger } = setUp([tool]);
    ledger.begun.add(keyName(context()));
    await expect(runner.execute(callOf('write'), context())).rejects.toThrow('too many open files');
    expect(await runner.execute(callOf('write'), context())).toMatchObject({ error: 'OUTCOME_UNKNOWN' });
  });

  it('an interrupted write is reported as OUTCOME_UNKNOWN, and stays so', async () => {
    const { seen, runner, context, ledger } = counted('write');
    ledger.begun.add(keyName(context()));
    const result = await runner.execute(callOf('write'), context());
    expect(result).toMatchObject({ success: false, error: 'OUTCOME_UNKNOWN' });
    expect(result.details).toContain('may or may not have taken effect');
    expect(await runner.execute(callOf('write'), context())).toEqual(result);
    expect(seen.executions).toBe(0);
  });

  it.each(['read', 'poll'] as const)('an interrupted %s runs again', async (effect) => {
    const { seen, runner, context, ledger } = counted(effect);
    ledger.begun.add(keyName(context()));
    expect(await runner.execute(callOf(effect), context())).toMatchObject({ success: true });
    expect(seen.executions).toBe(1);
  });

  it('a write whose result could not be stored is answered from memory, not as lost', async () => {
    const { seen, runner, context, ledger } = counted('write');
    ledger.failsNextFinish = true;
    await expect(runner.execute(callOf('write'), context())).rejects.toThrow('connection terminated');
    expect(await runner.execute(callOf('write'), context())).toMatchObject({ success: true, result: 1 });
    expect(seen.executions).toBe(1);
    expect(ledger.results.size).toBe(1);
  });

  it('the latest of many writes whose results could not be stored are answered from memory', async () => {
    const { runner, context, ledger } = counted('write');
    for (let position = 0; position < 257; position += 1) {
      ledger.failsNextFinish = true;
      await expect(runner.execute(callOf('write'), context({ position }))).rejects.toThrow(
        'connection terminated',
      );
    }
    const again = (position: number) => runner.execute(callOf('write'), context({ position }));
    expect(await again(1)).toMatchObject({ success: true });
    expect(await again(256)).toMatchObject({ success: true });
    expect(await again(0)).toMatchObject({ success: false, error: 'OUTCOME_UNKNOWN' });
  });
});
