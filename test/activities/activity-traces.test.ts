/** Tests what activities write into the trace; the trace store is a list in memory. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { z } from 'zod';
import { loadCarriedTraces } from '../../activities/attempt/activity-tracer.ts';
import { createExecuteTool } from '../../activities/execute-tool/execute-tool.ts';
import type { TurnRow } from '../../src/db/turns/turn-row.ts';
import type { ExecuteToolInput } from '../../src/contracts/payload/turn-activity-payloads.ts';
import type { ToolResult } from '../../src/contracts/tools/tool-call.ts';
import { createToolRegistry } from '../../src/tools/registry.ts';
import { createToolRunner } from '../../src/tools/run/runner.ts';
import type { Tool } from '../../src/tools/tool.ts';
import type { RawTrace } from '../../src/trace/prepare-trace.ts';
import { startFakeModel, type FakeModel } from '../support/fake-model/fake-model.ts';
import { answer, refusal } from '../support/fake-model/responses.ts';
import { turnInput } from '../support/turn-fixtures.ts';
import { modelInput, RUN_ID, toolInput } from './support/activity-inputs.ts';
import { ModelAttempt } from './support/model-attempt.ts';
import { declareTool } from '../support/fake-ports.ts';
import { MemoryLedger } from '../tools/support/memory-ledger.ts';
import { discardedCopies } from '../tools/support/temp-workspace.ts';
import type { CarriedTrace } from '../../src/contracts/turn/carried-trace.ts';

const carried = {
  ordinal: 7,
  phaseIndex: 1,
  cycleIndex: 0,
  records: [
    { ordinal: 6, at: 5_000, type: 'orchestration_phase_start', source: 'system', summary: 'tool phase' },
  ],
} as const;

const tracedInput = (more: Partial<ExecuteToolInput> = {}): ExecuteToolInput =>
  toolInput({ traces: { ...carried, records: [...carried.records] }, ...more });

interface ExecuteOptions {
  readonly ledger?: MemoryLedger;
  readonly whileItRuns?: () => unknown;
}

/** Executes a tool that gives this answer after `whileItRuns`; resolves to its result and its traces. */
const execute = async (
  answered: unknown,
  input = tracedInput(),
  { ledger = new MemoryLedger(), whileItRuns = () => undefined }: ExecuteOptions = {},
) => {
  const tool: Tool = {
    declaration: declareTool('Files_read', 'read'),
    aliases: [],
    description: '',
    input: z.unknown(),
    execute: async () => {
      await whileItRuns();
      return { ok: true, result: answered };
    },
  };
  const registry = createToolRegistry([tool]);
  const traces: RawTrace[] = [];
  const environment = new MockActivityEnvironment(
    { workflowExecution: { workflowId: 'turn/turn-1', runId: RUN_ID }, heartbeatTimeoutMs: 30_000 },
    { logger: new DefaultLogger('ERROR') },
  );
  const activity = createExecuteTool({
    pingTemporal: () => Promise.resolve(),
    traces: { record: (...told) => Promise.resolve(void traces.push(...told)) },
    turns: { find: () => Promise.resolve(undefined) },
    registry,
    startNotifications: () => Promise.resolve(),
    inputs: { close: () => Promise.resolve() },
    replyContents: { find: () => Promise.resolve(undefined) },
    runner: createToolRunner({
      registry,
      copies: discardedCopies,
      ledger,
      clock: { now: () => Date.now() },
    }),
  });
  const result = (await environment.run(activity, input)) as ToolResult;
  return { result, traces };
};

describe('executeTool', () => {
  it('writes what the workflow recorded, then its call and its result, in order', async () => {
    const { traces } = await execute('content');
    expect(traces).toMatchObject([
      { key: 'w6', type: 'orchestration_phase_start', requestId: 'turn-1', at: new Date(5_000) },
      { key: 'tool_call:1.0', phaseIndex: 1, cycleIndex: 0, details: { arguments: { path: 'a' } } },
      { key: 'tool_result:1.0', details: { success: true, result: 'content' } },
    ]);
    const ordinals = traces.map(({ ordinal }) => ordinal ?? 0);
    expect(ordinals).toEqual(ordinals.toSorted((a, b) => a - b));
  });

  it('keeps the whole result where the model is shown only a part', async () => {
    const long = 'x'.repeat(100_000);
    const { result, traces } = await execute({ text: long });
    expect(JSON.stringify(result.result).length).toBeLessThan(33_000);
    expect(traces.at(-1)?.details).toMatchObject({ result: { text: long } });
  });

  it('shows the result of an earlier attempt that came while the call was repeated, as the turn gets it', async () => {
    const ledger = new MemoryLedger();
    const earlier = (await execute('what was there before')).result;
    const input = tracedInput();
    await ledger.begin(input);
    const whileItRuns = () => ledger.finish(input, earlier);
    const { result, traces } = await execute('what is there now', input, { ledger, whileItRuns });
    expect(result.result).toBe('what was there before');
    expect(traces.at(-1)?.details).toMatchObject({ success: true, result: 'what was there before' });
  });

  it('has the same names at every attempt, and others for another call of the phase', async () => {
    const keys = async (input?: ExecuteToolInput) =>
      (await execute('x', input)).traces.map(({ key, ordinal }) => `${key} ${ordinal}`);
    const first = await keys();
    expect(await keys()).toEqual(first);
    const other = await keys(tracedInput({ position: 1 }));
    expect(other.slice(1).filter((key) => first.includes(key))).toEqual([]);
  });

  it('works for workflows that were begun before there were traces', async () => {
    const { traces: _none, ...before } = tracedInput();
    const { result, traces } = await execute('content', before);
    expect(result.success).toBe(true);
    expect(traces.map(({ type }) => type)).toEqual(['tool_call', 'tool_result']);
  });
});

describe('what the workflow carries', () => {
  const offered = (name: string, effect: 'read' | 'write'): Tool => ({
    declaration: declareTool(name, effect),
    aliases: [],
    description: '',
    input: z.unknown(),
    execute: () => Promise.resolve({ ok: true, result: null }),
  });
  const registry = createToolRegistry([offered('Files_read', 'read')], {
    tools: () => [offered('mcp__wiki__edit', 'write'), offered('mcp__wiki__look', 'read')],
    find: () => Promise.resolve(undefined),
  });

  it.each<['act' | 'plan', string[]]>([
    ['act', ['Files_read', 'mcp__wiki__edit', 'mcp__wiki__look', 'app_click', 'UserTool_ask']],
    ['plan', ['Files_read', 'mcp__wiki__look', 'UserTool_ask']],
  ])(
    'names the tools that %s mode offers, those of MCP servers and of the turn among them',
    async (mode, tools) => {
      const record = { ordinal: 2, at: 5_000, type: 'tool_registration', source: 'system', summary: 'tools' };
      const inputs = {
        approvals: { rules: [], setting: 'never' as const },
        expiryMs: 1,
        accepts: ['question' as const],
      };
      const clientTools = [{ name: 'app_click', description: 'x', parameters: {}, effect: 'write' as const }];
      const row: Pick<TurnRow, 'input' | 'clientTools'> = {
        input: turnInput('t', { mode, inputs }),
        clientTools,
      };
      const deps = {
        traces: { record: () => Promise.resolve() },
        turns: {
          find: () => Promise.resolve(row as TurnRow),
        },
        registry,
      };
      const ref = { ...toolInput(), traces: { ordinal: 2, records: [record as CarriedTrace] } };
      expect(await loadCarriedTraces(deps, ref)).toMatchObject([
        { key: 'w2', type: 'tool_registration', summary: `${tools.length} tools`, details: { tools } },
      ]);
    },
  );
});

describe('callModel', () => {
  let fake: FakeModel;
  beforeAll(async () => {
    fake = await startFakeModel();
  });
  afterAll(() => fake.close());
  afterEach(() => fake.clear());

  it('writes its call and its result, without the prompt', async () => {
    fake.script(answer('Hello', ' world'));
    const attempt = new ModelAttempt(fake.baseUrl);
    await attempt.run(modelInput({ messages: [{ role: 'user', content: 'canary' }] }));
    expect(attempt.traces).toMatchObject([
      { key: 'llm_call:1', details: { model: 'fake', messages: 1, promptCharacters: 6, maxTokens: 100 } },
      { key: 'llm_result:1', details: { end: 'stop', text: 'Hello world', usage: { completionTokens: 20 } } },
    ]);
    expect(JSON.stringify(attempt.traces)).not.toContain('canary');
  });

  it('writes the failures of a provider by attempt, and ranks a later result higher', async () => {
    fake.script(refusal(500, { message: 'overloaded' }));
    const failing = new ModelAttempt(fake.baseUrl);
    await expect(failing.run()).rejects.toThrow('overloaded');
    expect(failing.traces).toMatchObject([
      { type: 'llm_call' },
      { key: 'provider_error:1.1', type: 'system_error', error: expect.stringContaining('overloaded') },
    ]);
    fake.script(answer('one'), answer('two'));
    const [first, second] = [101, 102].map((epoch) => new ModelAttempt(fake.baseUrl, { epoch }));
    await first?.run();
    await second?.run();
    const [, before] = first?.traces ?? [];
    const [, after] = second?.traces ?? [];
    expect(after?.key).toBe(before?.key);
    expect(after?.ordinal ?? 0).toBeGreaterThan(before?.ordinal ?? 0);
  });
});
