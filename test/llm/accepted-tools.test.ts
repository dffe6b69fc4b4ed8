/** Covers more tools than a provider takes: which are sent to it, and what the log says at the start. */
import { expect, it } from '@jest/globals';
import type { ToolDefinition } from '../../src/contracts/tools/tool-call.ts';
import { MODEL_PROVIDERS } from '../../src/config/settings/model-provider.ts';
import { logLeftOutTools } from '../../src/llm/left-out-tools.ts';
import { quirksOf } from '../../src/llm/quirks.ts';
import { requestBody } from '../../src/llm/request-body.ts';
import { request } from './support/client-fixture.ts';

const tool = (name: string): ToolDefinition => ({
  type: 'function',
  function: { name, description: '', parameters: {} },
});
const many = Array.from({ length: 200 }, (_, i) => tool(`mcp__crowd__t${String(i).padStart(3, '0')}`));
/**
 * The tools in the order in which they are offered: by name, so that some of Orion's and of the client's come before
 * those of the server, and some after.
 */
const tools = [tool('FileSystemTool_read_file'), tool('WritePlanTool_begin'), ...many, tool('show_map')];
const ADDRESS = { baseUrl: 'http://localhost/v1' };

const sentTo = (provider: (typeof MODEL_PROVIDERS)[number]): string[] => {
  const { tools: sent = [] } = requestBody({ ...request, tools }, quirksOf(provider, ADDRESS.baseUrl));
  return sent.map((one) => (one as ToolDefinition).function.name);
};

it('tools are cut at the limit of the provider, the last of MCP servers first; own servers take all', () => {
  const counts = Object.fromEntries(MODEL_PROVIDERS.map((provider) => [provider, sentTo(provider).length]));
  expect(counts).toEqual({
    openai: 128,
    deepseek: 128,
    openrouter: 128,
    generic: 128,
    vllm: 203,
    ollama: 203,
  });
  const left = tools.map((one) => one.function.name).filter((name) => !sentTo('openai').includes(name));
  expect(left).toEqual(many.slice(125).map((one) => one.function.name));
});

it('tools that were cut are logged for each model that does not get them', () => {
  const told: unknown[] = [];
  const warn = (...line: unknown[]): void => void told.push(line);
  const described = new Map([
    ['own', { connection: { ...ADDRESS, provider: 'vllm' as const } }],
    ['far', { connection: undefined }],
  ]);
  logLeftOutTools({ ...ADDRESS, model: 'gpt', provider: 'openai', described }, tools, { warn });
  const line = (model: string) => [
    {
      model,
      leftOut: 75,
      tools: expect.arrayContaining(['mcp__crowd__t125', 'mcp__crowd__t144']) as unknown,
    },
    'expected at most 128 tools, which the provider takes, received 203: the last ones of MCP servers are not offered',
  ];
  expect(told).toEqual([line('gpt'), line('far')]);
  logLeftOutTools({ ...ADDRESS, model: 'gpt', provider: 'openai', described }, tools.slice(0, 128), { warn });
  expect(told).toHaveLength(2);
});
