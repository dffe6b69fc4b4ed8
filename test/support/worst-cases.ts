import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createReadSurroundings } from '../../src/prompts/surroundings.ts';
import { createWorkspaceTools } from '../../src/tools/workspace/workspace-tools.ts';
import { createMcpPool, type McpPool } from '../../src/tools/mcp/mcp-pool.ts';
import { createToolRegistry } from '../../src/tools/registry.ts';
import { createToolRunner } from '../../src/tools/run/runner.ts';
import type { Workspace } from '../../src/files/workspace/workspace.ts';
import { openWorkspace } from '../../src/files/workspace/open-workspace.ts';
import { discardedCopies } from '../tools/support/temp-workspace.ts';

const MCP_SERVER = fileURLToPath(new URL('./faulty-mcp-server.ts', import.meta.url));
const MCP_FAULTS = [
  'evil-pattern',
  'evil-references',
  'evil-answer',
  'many-values',
  'many-names',
  'empty-blocks',
  'long-text',
];
const MANY_ENTRIES = 21_000;
const DEPTH = 40;

/** A worker's tools over a hostile workspace and hostile MCP servers. */
export interface HostileGround {
  readonly workspace: Workspace;
  /** Calls a tool as a turn does, with arguments or with their JSON text; failures are results. */
  call(name: string, args: object | string): Promise<unknown>;
  close(): Promise<void>;
}

const fill = async (root: string): Promise<void> => {
  const put = async (path: string, text: string): Promise<void> => {
    await mkdir(join(root, path, '..'), { recursive: true });
    await writeFile(join(root, path), text);
  };
  const names = Array.from({ length: 10_000 }, (_, i) => `name-${i}/\n*.end${i}`).join('\n');
  const globs = Array.from({ length: 9_000 }, (_, i) => `*${i}*a*b*c`).join('\n');
  await mkdir(join(root, 'stars', 'a/'.repeat(DEPTH)), { recursive: true });
  await put('stars/.gitignore', `${'**/a/'.repeat(12)}**/b\n`.repeat(200));
  await put('names/.gitignore', names);
  await put('globs/.gitignore', globs);
  for (const folder of ['names', 'globs', 'many']) await mkdir(join(root, folder), { recursive: true });
  for (let i = 0; i < 200; i += 1) {
    await put(`names/x${i}.end${i}`, '');
    await put(`globs/${'abc'.repeat(60)}${i}`, '');
    await put(`.orion/skills/${i}.md`, '#'.repeat(10_000));
  }
  for (let i = 0; i < MANY_ENTRIES; i += 1) await writeFile(join(root, 'many', `${i}`), '');
  await put('text/line.txt', `${'a'.repeat(4_000_000)}!`);
  await put('text/breaks.txt', '\n'.repeat(8_000_000));
  await put('text/controls.txt', '\u0001'.repeat(1_000_000));
  await put('text/lines.txt', 'ab\n'.repeat(2_000_000));
  await put('text/places.txt', `${' '.repeat(4_000)}x`.repeat(1_000));
  await put('source/deep.ts', '('.repeat(300_000));
};

const openPool = async (): Promise<McpPool> => {
  const servers = MCP_FAULTS.map((fault) => ({
    name: fault,
    transport: {
      kind: 'stdio' as const,
      command: process.execPath,
      args: [MCP_SERVER, fault],
      env: {},
      cwd: undefined,
    },
    effects: {},
    volatileFields: {},
    trustsAnnotations: true,
    timeoutMs: undefined,
  }));
  const ignore = (): void => undefined;
  const limits = { connectMs: 100_000, startPatienceMs: 100_000, pingMs: 500 };
  const pool = createMcpPool(servers, { debug: ignore, info: ignore, warn: ignore }, limits);
  await pool.start();
  return pool;
};

export const openHostileGround = async (): Promise<HostileGround> => {
  const root = await mkdtemp(join(tmpdir(), 'orion-hostile-'));
  await fill(root);
  const workspace = await openWorkspace({ root, hasProjectFolders: false });
  const pool = await openPool();
  const runner = createToolRunner({
    copies: discardedCopies,
    registry: createToolRegistry(createWorkspaceTools(workspace), pool),
    ledger: {
      begin: () => Promise.resolve({ kind: 'started' as const, attempt: 1 }),
      planWrite: () => Promise.resolve(true),
      holds: () => Promise.resolve(true),
      finish: (_key, result) => Promise.resolve(result),
    },
    clock: { now: () => Date.now() },
  });
  const { signal } = new AbortController();
  return {
    workspace,
    call: (name, args) =>
      runner.execute(
        {
          id: 'c',
          type: 'function',
          function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
        },
        { turnId: 't', projectId: 'p', mode: 'act', phaseIndex: 1, position: 0, signal },
      ),
    async close() {
      await Promise.all([pool.close(), workspace.close()]);
      await rm(root, { recursive: true, force: true });
    },
  };
};

/** The worst form of something that somebody can ask of a worker. */
export interface WorstCase {
  /** The input, as the table of bounds in docs/tools.md names it. */
  readonly input: string;
  /** What makes this case the worst. */
  readonly what: string;
  run(ground: HostileGround): Promise<unknown>;
}

const list = (path: string, what: string): WorstCase => ({
  input: 'Ignore rules',
  what,
  run: ({ call }) => call('FileSystemTool_list_files', { path }),
});

const mcp = (fault: string, input: string, what: string, args = {}): WorstCase => ({
  input,
  what,
  run: ({ call }) => call(`mcp__${fault}__look`, args),
});

const search = (input: string, what: string, args: object): WorstCase => ({
  input,
  what,
  run: ({ call }) => call('FileSystemTool_search_files', { path: 'text', ...args }),
});

/** The depth of this JSON is the most that fits into the answer of a model. */
const DEEP = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
const MANY_NAMES = JSON.stringify(
  Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`name${i}`, i])),
);

export const WORST_CASES: readonly WorstCase[] = [
  list('stars', '200 rules of 12 `**/a/` over 40 folders'),
  list('names', '20,000 names and endings'),
  list('globs', '9,000 rules of four stars'),
  {
    input: 'Tree listings',
    what: `${MANY_ENTRIES} entries in one folder`,
    run: ({ call }) => call('FileSystemTool_list_files', { path: 'many', no_ignore: true }),
  },
  {
    input: 'Surroundings of a turn',
    what: 'all of the above, 200 skills',
    run: ({ workspace }) => createReadSurroundings(workspace)('p'),
  },
  search('Regular expressions', '`(a+)+$` on 4 MB of a', { regex: '(a+)+$' }),
  search('Regular expressions', 'a million repetitions', { regex: '((a{100}){100}){100}' }),
  search('File patterns', 'stars in stars', { regex: '!', file_pattern: `${'*a'.repeat(400)}*b` }),
  {
    input: 'Texts of files',
    what: '8 MB of line breaks',
    run: ({ call }) => call('FileSystemTool_read_file', { path: 'text/breaks.txt', start_line: 7_999_999 }),
  },
  {
    input: 'Edits of files',
    what: '50 texts that begin at every byte of 4 MB, in none of which they end',
    run: ({ call }) =>
      call('FileSystemTool_edit_file', {
        path: 'text/line.txt',
        edits: Array.from({ length: 50 }, (_, i) => ({ old: `${'a'.repeat(600)}${i}`, new: '' })),
      }),
  },
  {
    input: 'Edits of files',
    what: 'three texts like each of 2 million lines',
    run: ({ call }) =>
      call('FileSystemTool_edit_file', {
        path: 'text/lines.txt',
        edits: [1, 2, 3].map((n) => ({ old: `${'ab\n'.repeat(2_000)}${n}`, new: '' })),
      }),
  },
  {
    input: 'Edits of files',
    what: '1,000 places in 4 MB of one line',
    run: ({ call }) =>
      call('FileSystemTool_edit_file', {
        path: 'text/places.txt',
        edits: [{ old: 'x', new: 'yz', expect: 1_000 }],
      }),
  },
  {
    input: 'Results',
    what: '1 MB of characters that take six bytes each',
    run: ({ call }) => call('FileSystemTool_read_file', { path: 'text/controls.txt' }),
  },
  {
    input: 'Source files',
    what: '300,000 open brackets',
    run: ({ call }) => call('FileSystemTool_list_code_definition_names', { path: 'source' }),
  },
  {
    input: 'Arguments of calls',
    what: '100,000 levels, then 20,000 unknown names',
    async run({ call }) {
      await call('FileSystemTool_read_file', DEEP);
      await call('FileSystemTool_read_file', MANY_NAMES);
    },
  },
  mcp('evil-pattern', 'MCP schemas', 'a pattern that backtracks', { text: `${'a'.repeat(40)}!` }),
  mcp('evil-references', 'MCP schemas', 'references that double with every level', { deep: {} }),
  mcp('evil-answer', 'MCP schemas', 'the same for its answers'),
  mcp('many-values', 'MCP answers', 'a million numbers'),
  mcp('many-names', 'MCP answers', '170,000 names'),
  mcp('empty-blocks', 'MCP answers', '660,000 empty objects instead of content'),
  mcp('long-text', 'MCP answers', 'one text of 2 MB'),
];
