import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextLoopIteration } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { BUILT_IN_TOOLS } from '../../../src/contracts/tools/built-in-tools.ts';
import { createEditFileTool } from '../../../src/tools/workspace/edit-file.ts';
import { createListCodeDefinitionNamesTool } from '../../../src/tools/workspace/list-code-definition-names.ts';
import { createListFilesTool } from '../../../src/tools/workspace/list-files.ts';
import { createReadFileTool } from '../../../src/tools/workspace/read-file.ts';
import { createSearchFilesTool } from '../../../src/tools/workspace/search-files.ts';
import type { Tool } from '../../../src/tools/tool.ts';
import { createWriteToFileTool } from '../../../src/tools/workspace/write-to-file.ts';
import type { Workspace } from '../../../src/files/workspace/workspace.ts';
import { openWorkspace } from '../../../src/files/workspace/open-workspace.ts';
import { anyFence, openHandles } from './temp-workspace.ts';
import { logLine } from '../../support/test-log.ts';

/**
 * Every file outside holds this text, also as the name of a definition, and some have it as their name; no path that a
 * test tries contains it.
 */
const LEAK = 'LEAKED';
/** The name of a file outside that paths ask for. */
const ASKED = 'OUTSIDE.ts';
const SOURCE = (text: string) => `export function ${text}() {} // needle\n`;

/** Links of every shape: [where, target]. `BASE` stands for the folder above the root. */
const LINKS: readonly (readonly [string, string])[] = [
  ['out', '..'],
  ['absolute', 'BASE/outside'],
  ['again', 'BASE/root'],
  ['twin', 'BASE/root-twin'],
  ['up', 'a/../../outside'],
  ['in', 'a'],
  ['a/back', '..'],
  ['a/far', '../../../..'],
  ['a/leak.ts', `../../outside/${ASKED}`],
  ['leak.ts', `BASE/outside/${ASKED}`],
  ['loop', 'loop'],
  ['dangling.ts', '../outside/not-there.ts'],
  ['proc', '/proc/self/root'],
  ['fd', '/proc/self/fd'],
  ['cwd', '/proc/self/cwd'],
];

const build = async (base: string): Promise<void> => {
  for (const folder of ['root/a/b', 'outside/b', 'root-twin']) {
    await mkdir(join(base, folder), { recursive: true });
  }
  for (const folder of ['outside', 'outside/b', 'root-twin', '.']) {
    for (const name of [ASKED, `${LEAK}.ts`]) await writeFile(join(base, folder, name), SOURCE(LEAK));
  }
  for (const folder of ['.', 'a', 'a/b']) {
    await writeFile(join(base, 'root', folder, 'inside.ts'), SOURCE('inside'));
  }
  for (const [where, target] of LINKS) await symlink(target.replace('BASE', base), join(base, 'root', where));
};

/** Resolves to the names and contents outside the root. */
const outsideOf = async (base: string): Promise<string[]> => {
  const seen: string[] = [];
  for (const folder of ['.', 'outside', 'outside/b', 'root-twin']) {
    seen.push(...(await readdir(join(base, folder))));
    seen.push(await readFile(join(base, folder, ASKED), 'utf8'));
  }
  return seen;
};

/** Calls a tool with one path; resolves to what the model would see, refusals included. */
type Ask = (path: string) => Promise<string>;

const toolsOf = (workspace: Workspace): ReadonlyMap<string, Ask> => {
  const ask =
    <I>(tool: Tool<I>, more: object): Ask =>
    async (path) => {
      const context = {
        turnId: 't',
        projectId: 'p',
        signal: new AbortController().signal,
        fence: anyFence(),
      };
      try {
        return JSON.stringify(await tool.execute(tool.input.parse({ path, ...more }), context));
      } catch (error) {
        return String(error);
      }
    };
  const asks = [
    [createReadFileTool(workspace), {}],
    [createListFilesTool(workspace), { no_ignore: true }],
    [createSearchFilesTool(workspace), { regex: 'needle', no_ignore: true }],
    [createListCodeDefinitionNamesTool(workspace), {}],
    [createWriteToFileTool(workspace), { content: SOURCE('written') }],
    [createEditFileTool(workspace), { edits: [{ old: 'needle', new: 'needle!' }] }],
  ] as const;
  return new Map(asks.map(([tool, more]) => [tool.declaration.name, ask(tool as Tool, more)]));
};

const hostilePath = fc
  .tuple(
    fc.constantFrom('', '', '', '', './', '/', '\\', 'C:', '~/', 'file://'),
    fc.array(
      fc.constantFrom(
        '..',
        '.',
        '',
        'a',
        'b',
        'inside.ts',
        '..\\..',
        '%2e%2e',
        '\0',
        '-e',
        'outside',
        ASKED,
        ...LINKS.map(([name]) => name),
      ),
      { maxLength: 5 },
    ),
    fc.constantFrom('', ASKED, 'leak.ts', 'inside.ts', 'b', 'new.ts'),
    fc.constantFrom('/', '\\', '//'),
  )
  .map(([prefix, parts, last, separator]) => prefix + [...parts, last].join(separator));

/**
 * Swaps `a` and `a/inside.ts` for links to the outside and back as fast as it can, until it is told to stop. A write
 * may make one of them in between, which is removed again.
 */
const FLIPPER = `
  const { renameSync, rmSync } = require('node:fs');
  const { workerData } = require('node:worker_threads');
  const stop = new Int32Array(workerData.stop);
  const flip = (place, real, link) => {
    const put = (from) => {
      for (;;) try { return renameSync(from, place); } catch { try { rmSync(place, { recursive: true }); } catch {} }
    };
    renameSync(place, real); put(link);
    renameSync(place, link); put(real);
  };
  const root = workerData.root;
  while (Atomics.load(stop, 0) === 0) {
    flip(root + '/a', root + '/real-a', root + '/link-a');
    flip(root + '/a/inside.ts', root + '/real-file', root + '/link-file');
    Atomics.add(stop, 1, 1);
  }`;

/** At least this many calls meet the swaps. */
const RACED_CALLS = 500;

/** How much is tried. */
interface HostilePathsOptions {
  /** The number of generated paths. */
  readonly runs: number;
  /** The shortest time in milliseconds for which links are swapped. */
  readonly racedMs: number;
}

/**
 * Tries every path argument of every tool with generated paths, and with links that are swapped while the tool runs.
 */
export const describeHostilePaths = ({ runs, racedMs }: HostilePathsOptions): void => {
  let base: string;
  let workspace: Workspace;
  let tools: ReadonlyMap<string, Ask>;

  beforeAll(async () => {
    base = await mkdtemp(join(tmpdir(), 'orion-hostile-'));
    await build(base);
    workspace = await openWorkspace({ root: join(base, 'root'), hasProjectFolders: false });
    tools = toolsOf(workspace);
  });
  afterAll(async () => {
    await workspace.close();
    await rm(base, { recursive: true, force: true });
  });

  describe('hostile paths', () => {
    it('every tool with a path argument is tried', () => {
      // These tools touch no file by themselves: a session's commit, the sandbox and recall have tests of their own.
      const others = ['WritePlanTool_begin', 'TerminalTool_run_command', 'ConversationTool_search'];
      const own = [...tools.keys(), ...others];
      expect(own.toSorted()).toEqual(BUILT_IN_TOOLS.map(({ name }) => name).toSorted());
    });

    it('generated: nothing from outside is shown, nothing outside is changed, no handle stays open', async () => {
      const before = await outsideOf(base);
      const handles = await openHandles();
      const counts = { calls: 0, answered: 0, escapes: 0 };
      // These tools take a thread or a process each, so they get fewer rounds, but all kinds of paths.
      const dear = new Set(['FileSystemTool_search_files', 'FileSystemTool_list_code_definition_names']);
      await fc.assert(
        fc.asyncProperty(hostilePath, fc.nat(), async (path, dice) => {
          for (const [name, ask] of tools) {
            if (dear.has(name) && dice % 4 > 0) continue;
            const answer = await ask(path);
            counts.calls += 1;
            counts.answered += answer.includes('"ok":true') ? 1 : 0;
            counts.escapes += answer.includes(LEAK) ? 1 : 0;
          }
        }),
        { numRuns: runs },
      );
      logLine(`hostile paths, generated: ${JSON.stringify(counts)}`);
      expect(counts.escapes).toBe(0);
      expect(counts.calls).toBeGreaterThan(3 * runs);
      expect(counts.answered).toBeGreaterThan(runs / 5);
      expect(await outsideOf(base)).toEqual(before);
      expect(await openHandles()).toBe(handles);
    });
  });

  describe('raced links', () => {
    it('directories and files swapped for links all the time: nothing from outside is shown or changed', async () => {
      const root = join(base, 'raced');
      await mkdir(join(root, 'a'), { recursive: true });
      await writeFile(join(root, 'a/inside.ts'), SOURCE('inside'));
      await mkdir(join(base, 'beyond'));
      await writeFile(join(root, 'a/edited.ts'), SOURCE('inside'));
      for (const name of ['edited.ts', 'inside.ts', `${LEAK}.ts`]) {
        await writeFile(join(base, 'beyond', name), SOURCE(LEAK));
      }
      await symlink(join(base, 'beyond'), join(root, 'link-a'));
      await symlink(join(base, 'beyond/inside.ts'), join(root, 'link-file'));
      const raced = await openWorkspace({ root, hasProjectFolders: false });
      const stop = new SharedArrayBuffer(8);
      const flipper = new Worker(FLIPPER, { eval: true, workerData: { root, stop } });
      const counts = { calls: 0, inside: 0, refused: 0, escapes: 0 };
      try {
        const until = Date.now() + racedMs;
        const keepAsking = async (ask: Ask, path: string) => {
          // A busy machine does less in that time.
          while (Date.now() < until || counts.calls <= RACED_CALLS || counts.inside * counts.refused === 0) {
            const answer = await ask(path);
            // A refusal that needs no file would otherwise keep all others from running.
            await nextLoopIteration();
            counts.calls += 1;
            counts.escapes += answer.includes(LEAK) ? 1 : 0;
            counts[/inside\b|created|overwritten/.test(answer) ? 'inside' : 'refused'] += 1;
          }
        };
        const pathsOf = (name: string) => {
          // The tool makes its file anew, so it gets another one than those that are swapped.
          if (name.endsWith('write_to_file')) return ['a/new.ts'];
          return name.endsWith('edit_file') ? ['a/edited.ts'] : ['a/inside.ts', 'a', '.'];
        };
        await Promise.all(
          [...toolsOf(raced)].flatMap(([name, ask]) => pathsOf(name).map((path) => keepAsking(ask, path))),
        );
      } finally {
        Atomics.store(new Int32Array(stop), 0, 1);
        await new Promise((resolve) => flipper.once('exit', resolve));
        await raced.close();
      }
      const flips = Atomics.load(new Int32Array(stop), 1);
      logLine(`hostile paths, raced: ${JSON.stringify({ ...counts, flips })}`);
      expect(counts.escapes).toBe(0);
      expect(counts.calls).toBeGreaterThan(RACED_CALLS);
      expect(counts.inside).toBeGreaterThan(0);
      expect(counts.refused).toBeGreaterThan(0);
      expect(await readdir(join(base, 'beyond'))).toEqual([`${LEAK}.ts`, 'edited.ts', 'inside.ts']);
      for (const name of ['edited.ts', 'inside.ts']) {
        expect(await readFile(join(base, 'beyond', name), 'utf8')).toBe(SOURCE(LEAK));
      }
    });
  });
};
