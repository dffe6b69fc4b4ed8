import { expect, it } from '@jest/globals';
import { mcpTool } from '../../../src/tools/mcp/mcp-tool.ts';

const SERVER = {
  name: 'fs',
  transport: { kind: 'stdio', command: 'x', args: [], env: {}, cwd: undefined },
  effects: {},
  volatileFields: {},
  trustsAnnotations: true,
  timeoutMs: undefined,
} as const;

it('a long description is cut between characters, never within one', () => {
  const description = `${'a'.repeat(2_047)}😀 and more`;
  const tool = mcpTool(
    SERVER,
    { name: 'look', description, inputSchema: { type: 'object' } },
    { execute: () => Promise.reject(new Error('not called')), check: () => Promise.resolve([]) },
  );
  expect(tool?.description.startsWith('a'.repeat(2_047))).toBe(true);
  expect(tool?.description.isWellFormed()).toBe(true);
});
