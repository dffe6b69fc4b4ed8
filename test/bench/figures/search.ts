import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createSearchFilesTool } from '../../../src/tools/workspace/search-files.ts';
import { findRipgrep } from '../../../src/tools/search/ripgrep.ts';
import type { Workspace } from '../../../src/files/workspace/workspace.ts';
import { openWorkspace } from '../../../src/files/workspace/open-workspace.ts';
import type { Figure } from '../figure.ts';
import { shuffle } from '../../support/random.ts';
import { rounded, type Check } from '../report.ts';
import { summarize, type Summary } from '../statistics.ts';
import { anyFence } from '../../tools/support/temp-workspace.ts';

const TREE = { folders: 100, filesPerFolder: 25, linesPerFile: 400 };
/** The length includes the line break; 2,500 files of 20 KB are 50 MB. */
const LINE_LENGTH = 50;
const RUNS = { full: 20, quick: 3 };
/** The bar, as a multiple of the time that a plain ripgrep takes for the same tree. */
const BAR = 2;

/** The patterns match anything from nothing to nearly everything. */
const PATTERNS = {
  'no match': 'wordThatIsNowhere',
  'one file in 50': 'needle_\\d+',
  'a regex in one file in 50': '(?i)NEEDLE_[0-9]{1,4}\\b.*end$',
  'every line': 'value',
} as const;

const lineOf = (file: number, line: number): string => {
  const isNeedle = file % 50 === 0 && line === 200;
  const text = isNeedle
    ? `const needle_${file} = 'value'; // end`
    : `const name${line} = value(${file} + ${line});`;
  return text.padEnd(LINE_LENGTH - 1);
};

const buildTree = async (root: string): Promise<number> => {
  let bytes = 0;
  for (let folder = 0; folder < TREE.folders; folder += 1) {
    const path = join(root, `folder${folder % 10}`, `sub${folder}`);
    await mkdir(path, { recursive: true });
    for (let i = 0; i < TREE.filesPerFolder; i += 1) {
      const file = folder * TREE.filesPerFolder + i;
      const text = Array.from({ length: TREE.linesPerFile }, (_, line) => `${lineOf(file, line)}\n`).join('');
      bytes += text.length;
      await writeFile(join(path, `file${file}.ts`), text);
    }
  }
  return bytes;
};

type Arm = (regex: string) => Promise<void>;

const plainArm = (program: string, cwd: string): Arm => {
  const run = promisify(execFile);
  return async (regex) => {
    const args = ['--no-config', '--hidden', '--line-number', '--regexp', regex, './'];
    // ripgrep exits with 1 when it finds nothing.
    await run(program, args, { cwd, env: {}, maxBuffer: 2 ** 28 }).catch((error: { code?: unknown }) => {
      if (error.code !== 1) throw error;
    });
  };
};

/** A search writes nothing, so any fence will do. */
const fence = anyFence();

const orionArm = (workspace: Workspace): Arm => {
  const tool = createSearchFilesTool(workspace);
  const context = { turnId: 't', projectId: 'p', signal: new AbortController().signal, fence };
  return async (regex) => {
    const outcome = await tool.execute(tool.input.parse({ path: '.', regex }), context);
    if (!outcome.ok) throw new Error(outcome.error);
  };
};

interface Compared {
  readonly pattern: string;
  readonly plain: Summary;
  readonly orion: Summary;
}

const timed = async (arm: Arm, regex: string): Promise<number> => {
  const startedAt = performance.now();
  await arm(regex);
  return performance.now() - startedAt;
};

const compare = async (
  arms: { readonly plain: Arm; readonly orion: Arm },
  [pattern, regex]: readonly [string, string],
  runs: number,
  random: () => number,
): Promise<Compared> => {
  const samples = { plain: [] as number[], orion: [] as number[] };
  // The first round fills the page cache and loads what is loaded only once.
  for (let run = -1; run < runs; run += 1) {
    for (const name of shuffle(['plain', 'orion'] as const, random)) {
      const ms = await timed(arms[name], regex);
      if (run >= 0) samples[name].push(ms);
    }
  }
  return { pattern, plain: summarize(samples.plain), orion: summarize(samples.orion) };
};

const rowOf = ({ pattern, plain, orion }: Compared): string[] => [
  pattern,
  String(orion.n),
  rounded(plain.p50),
  rounded(orion.p50),
  rounded(plain.p95),
  rounded(orion.p95),
  `${rounded(orion.p50 / plain.p50)}×`,
];

const checkOf = ({ pattern, plain, orion }: Compared): Check => ({
  what: `search_files ÷ ripgrep, p50, ${pattern}`,
  value: orion.p50 / plain.p50,
  bar: BAR,
  side: 'at most',
  unit: '×',
});

/** Compares a search with the same ripgrep without the jail, ignore rules, handles and limits. */
export const search: Figure = {
  name: 'search',
  title: 'search_files over 50 MB of text beside plain ripgrep (ms)',
  async measure({ isQuick, random, signal }) {
    const root = await mkdtemp(join(tmpdir(), 'orion-bench-search-'));
    const workspace = await openWorkspace({ root, hasProjectFolders: false });
    try {
      const bytes = await buildTree(root);
      const arms = { plain: plainArm(await findRipgrep(), root), orion: orionArm(workspace) };
      const compared: Compared[] = [];
      for (const pattern of Object.entries(PATTERNS)) {
        signal.throwIfAborted();
        compared.push(await compare(arms, pattern, isQuick ? RUNS.quick : RUNS.full, random));
      }
      return {
        columns: ['pattern', 'N', 'plain p50', 'orion p50', 'plain p95', 'orion p95', '÷ plain'],
        rows: compared.map(rowOf),
        checks: compared.map(checkOf),
        notes: [`${TREE.folders * TREE.filesPerFolder} files, ${rounded(bytes / 1e6)} MB`],
      };
    } finally {
      await workspace.close();
      await rm(root, { recursive: true, force: true });
    }
  },
};
