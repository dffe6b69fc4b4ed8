/**
 * Every command that a page tells its reader to type is run here, in order, on a fresh stack, and prints what the page
 * shows.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { TYPED_PAGES, commandBlocks, missingLine } from '../docs/page-commands.ts';
import { OrionStack } from '../support/orion-stack.ts';
import { temporalAddress } from '../support/turn-worker.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** The address that pages show; the stack of this run has another port. */
const SHOWN = 'http://127.0.0.1:5000';
/** The turn that docs/http-api.md begins; other pages write `<id>` in its place. */
const SHOWN_ID = ['<id>', 'my-turn'] as const;
/** What curl prints for a refused request, after which it still exits with 0. */
const REFUSAL = /^\{"error":/m;
const COMMAND_TIMEOUT_MS = 200_000;

let stack: OrionStack;
/** The home directory of the reader's shell, new for each page. */
let home: string;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'orion-reader-'));
  stack = await OrionStack.start({ OPENAI_API_KEY: '', OPENAI_BASE_URL: '' });
});
afterAll(async () => {
  await stack?.stop();
  rmSync(home, { recursive: true, force: true });
});

/** Creates a folder on PATH in which `orion` is what `npm link` would make it. */
const binFolder = (): string => {
  const folder = join(home, 'bin');
  mkdirSync(folder, { recursive: true });
  const command = join(folder, 'orion');
  writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'src/cli/bin.mjs')}' "$@"\n`);
  chmodSync(command, 0o755);
  return folder;
};

/** Runs one block as its reader's shell would; variables and folder are kept for the next block of the page. */
const run = async (page: string, script: string): Promise<{ code: number; output: string }> => {
  const state = join(home, `${page.replaceAll('/', '-')}.state`);
  if (!existsSync(state)) writeFileSync(state, `cd '${home}'\n`);
  const block = join(home, 'block.sh');
  writeFileSync(block, script.replaceAll(SHOWN, stack.baseUrl).replaceAll(...SHOWN_ID));
  const line = `set -eao pipefail; source '${state}'; source '${block}'; { declare -px | grep -v ' PATH='; echo "cd '$PWD'"; } > '${state}'`;
  const child = spawn('bash', ['-c', `{ ${line}; } 2>&1`], {
    env: {
      PATH: `${binFolder()}:${process.env['PATH'] ?? ''}`,
      HOME: home,
      NO_COLOR: '1',
      ORION_URL: stack.baseUrl,
      ORION_DATA_DIR: stack.dataDir,
      TEMPORAL_ADDRESS: temporalAddress(),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: COMMAND_TIMEOUT_MS,
  });
  const closed = once(child, 'close') as Promise<[number | null]>;
  const output = await text(child.stdout);
  const [code] = await closed;
  return { code: code ?? -1, output: output.replaceAll(stack.baseUrl, SHOWN) };
};

describe.each(TYPED_PAGES)('%s', (page) => {
  const blocks = commandBlocks(readFileSync(join(root, page), 'utf8'));

  it('has commands', () => expect(blocks.filter(({ notRun }) => notRun === undefined)).not.toEqual([]));

  it.each(blocks.filter(({ notRun }) => notRun === undefined))(
    'line $line: $script',
    async ({ script, shown }) => {
      const { code, output } = await run(page, script);
      expect({ code, output }).toMatchObject({ code: 0 });
      expect(output).not.toMatch(REFUSAL);
      if (missingLine(shown, output) !== undefined) {
        throw new Error(`expected the line ${missingLine(shown, output)}, received\n${output}`);
      }
    },
  );
});
