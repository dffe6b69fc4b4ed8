/** Checks that the result of a tool, whatever the tool returns, fits the model, JSON, UTF-8 and Postgres. */
import { describe, expect, it } from '@jest/globals';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { ToolResult } from '../../src/contracts/tools/tool-call.ts';
import { createListCodeDefinitionNamesTool } from '../../src/tools/workspace/list-code-definition-names.ts';
import { createListFilesTool } from '../../src/tools/workspace/list-files.ts';
import { createReadFileTool } from '../../src/tools/workspace/read-file.ts';
import { createToolRegistry } from '../../src/tools/registry.ts';
import { createToolRunner } from '../../src/tools/run/runner.ts';
import { createSearchFilesTool } from '../../src/tools/workspace/search-files.ts';
import type { Tool, ToolOutcome } from '../../src/tools/tool.ts';
import { MemoryLedger } from './support/memory-ledger.ts';
import { discardedCopies, inTempWorkspace } from './support/temp-workspace.ts';
import { toolResultShape } from './support/tool-result-shape.ts';

const MODEL_BYTES = 32 * 1024;
const HUGE = 50_000_000;

const run = async (tool: Tool, args: object = {}): Promise<ToolResult> => {
  const ledger = new MemoryLedger();
  const registry = createToolRegistry([tool]);
  const runner = createToolRunner({
    registry,
    copies: discardedCopies,
    ledger,
    clock: { now: () => Date.now() },
  });
  const call = {
    id: 'c',
    type: 'function',
    function: { name: tool.declaration.name, arguments: JSON.stringify(args) },
  } as const;
  const { signal } = new AbortController();
  return runner.execute(call, {
    turnId: 't',
    projectId: 'p',
    mode: 'act',
    phaseIndex: 1,
    position: 0,
    signal,
  });
};

const giving = (execute: () => ToolOutcome | Promise<ToolOutcome>): Tool => ({
  declaration: { name: 'Box_open', effect: 'write', pathArguments: [], volatileFields: [], defaults: {} },
  aliases: [],
  description: 'A box',
  input: z.strictObject({}),
  execute: async () => execute(),
});

const expectSafe = (result: ToolResult): void => {
  expect(toolResultShape.parse(result)).toEqual(result);
  const json = JSON.stringify(result);
  expect(json).not.toContain('\\u0000');
  // A lone surrogate is escaped by JSON.stringify, and refused by Postgres.
  expect(json).not.toMatch(/\\ud[89a-f]/i);
  expect(json.isWellFormed()).toBe(true);
  expect(Buffer.byteLength(JSON.stringify(result, null, 2))).toBeLessThanOrEqual(MODEL_BYTES);
};

const circular: { self?: unknown } = {};
circular.self = circular;

describe('any result of a tool', () => {
  it.each<[string, () => unknown]>([
    ['50 MB of text', () => 'x'.repeat(HUGE)],
    ['50 MB of NUL', () => '\0'.repeat(HUGE)],
    ['50 MB of lone surrogates', () => ({ a: '\ud800'.repeat(HUGE / 2) })],
    ['50 MB of bytes', () => ({ file: Buffer.alloc(HUGE) })],
    ['keys with NUL and halves of characters', () => ({ 'a\0': 1, '\udfff': { '\ud83d': 2 } })],
    ['a cycle', () => circular],
    ['nothing', () => undefined],
    ['what is no JSON', () => [Number.NaN, 10n, Symbol('s'), () => 1, new Map([[1, 2]]), new Date(0)]],
    ['50,000 small things', () => Array.from({ length: 50_000 }, (_, i) => ({ i, ok: true }))],
  ])('%s', async (_name, make) => {
    expectSafe(await run(giving(() => ({ ok: true, result: make() }))));
  });

  it.each<[string, () => ToolOutcome | Promise<ToolOutcome>]>([
    ['a failure', () => ({ ok: false, error: '\0\ud800'.repeat(1e6), details: { out: '\0'.repeat(HUGE) } })],
    ['a throw', () => Promise.reject(new Error('\0'.repeat(HUGE)))],
    ['a throw that is no Error', () => Promise.reject({ message: 5 })],
  ])('%s', async (_name, make) => {
    const result = await run(giving(make));
    expect(result.success).toBe(false);
    expectSafe(result);
  });
});

describe('results of the built-in tools', () => {
  it('are safe over files of 50 MB, NUL, bytes that are no text, and names that are invalid', async () => {
    await inTempWorkspace({}, async ({ root, workspace }) => {
      await mkdir(join(root, 'd'));
      const files: [string | Buffer, string | Buffer][] = [
        ['huge.txt', Buffer.alloc(HUGE, 'needle x\n')],
        ['line.txt', Buffer.alloc(HUGE, 'needle ')],
        ['zero.bin', Buffer.alloc(HUGE)],
        ['bytes.ts', Buffer.from([...Buffer.from('const needle = 1; //'), 0xff, 0xfe, 0xed, 0xa0, 0x80])],
        ['late.ts', `const needle = 1;\n${'//\n'.repeat(10_000)}\0`],
        [Buffer.from([0x6e, 0xff, 0x2e, 0x74, 0x73]), 'const needle = 1;'],
      ];
      for (const [name, content] of files) {
        await writeFile(Buffer.concat([Buffer.from(`${root}/d/`), Buffer.from(name)]), content);
      }
      const calls: [Tool, object][] = [
        [createListFilesTool(workspace), { path: '.' }],
        [createSearchFilesTool(workspace), { path: '.', regex: 'needle' }],
        [createSearchFilesTool(workspace), { path: 'd/line.txt', regex: 'needle' }],
        [createListCodeDefinitionNamesTool(workspace), { path: '.' }],
        ...['huge.txt', 'line.txt', 'bytes.ts', 'late.ts'].map((name): [Tool, object] => [
          createReadFileTool(workspace),
          { path: `d/${name}` },
        ]),
      ];
      for (const [tool, args] of calls) {
        const result = await run(tool, args);
        expect(result).toMatchObject({ success: true });
        expectSafe(result);
      }
    });
  });
});
