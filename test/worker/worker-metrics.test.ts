import { beforeEach, expect, it } from '@jest/globals';
import type { MetricCounter, MetricHistogram, MetricMeter, MetricTags } from '@temporalio/common';
import type { ToolResult } from '../../src/contracts/tools/tool-call.ts';
import type { ToolRunnerContext } from '../../src/tools/run/runner.ts';
import { createWorkerMetrics } from '../../worker/worker-metrics.ts';
import { declareTool } from '../support/fake-ports.ts';
import { partOf } from '../support/part-of.ts';

const recorded: { value: number; tags: MetricTags | undefined }[] = [];
const meter = partOf<MetricMeter>({
  createHistogram: (name: string): MetricHistogram => {
    const histogram: MetricHistogram = {
      name,
      valueType: 'float',
      kind: 'histogram',
      record: (value, tags) => void recorded.push({ value, tags }),
      withTags: () => histogram,
    };
    return histogram;
  },
  createCounter: (name: string): MetricCounter => {
    const counter: MetricCounter = {
      name,
      valueType: 'int',
      kind: 'counter',
      add: (value, tags) => void recorded.push({ value, tags }),
      withTags: () => counter,
    };
    return counter;
  },
});
beforeEach(() => void recorded.splice(0));

it('the worker counts attempts to notify the webhook by their outcome', () => {
  createWorkerMetrics(meter).countNotification('given_up');
  expect(recorded).toEqual([{ value: 1, tags: { outcome: 'given_up' } }]);
});

it('the worker counts tokens of a call by kind, each once', () => {
  createWorkerMetrics(meter).countTokens('m', {
    promptTokens: 100,
    completionTokens: 20,
    cachedTokens: 70,
    cacheWriteTokens: 10,
    reasoningTokens: 5,
  });
  expect(recorded.map(({ value, tags }) => [tags?.['kind'], value])).toEqual([
    ['prompt', 20],
    ['cached', 70],
    ['cache_write', 10],
    ['completion', 15],
    ['reasoning', 5],
  ]);
  expect(recorded.every(({ tags }) => tags?.['model'] === 'm')).toBe(true);
});

it('the worker times tools by name and outcome; invented names become one series', async () => {
  const answers = [
    { toolName: 'FileSystemTool.read_file', success: true, durationMs: 250 },
    { toolName: 'made_up', success: false, durationMs: 1 },
  ];
  const runner = { execute: () => Promise.resolve(answers.shift() as ToolResult) };
  const registry = {
    describe: (name: string) => (name === 'read_file' ? declareTool(name, 'read') : undefined),
  };
  const { execute } = createWorkerMetrics(meter).measureRunner(runner, registry);
  for (const name of ['read_file', 'made_up']) {
    const call = { id: '1', type: 'function' as const, function: { name, arguments: '{}' } };
    await execute(call, partOf<ToolRunnerContext>({}));
  }
  expect(recorded).toEqual([
    { value: 0.25, tags: { tool: 'FileSystemTool.read_file', ok: true } },
    { value: 0.001, tags: { tool: 'unknown', ok: false } },
  ]);
});
