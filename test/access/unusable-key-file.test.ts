/**
 * A file of API keys that cannot be used ends every process that reads it with exit code 78: starting it again would
 * not help.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from '@jest/globals';
import { CONFIG_EXIT_CODE } from '../../src/base/errors/config-error.ts';

const folder = mkdtempSync(join(tmpdir(), 'orion-unusable-keys-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Starts an entry file with a key file that contains `text`; the process has to end before it needs anything else. */
const start = (entry: string, text: string) => {
  const path = join(folder, 'keys.json');
  writeFileSync(path, text);
  const { status, stderr } = spawnSync(
    process.execPath,
    [fileURLToPath(new URL(`../../src/${entry}/main.ts`, import.meta.url))],
    {
      cwd: folder,
      env: {
        PATH: process.env['PATH'],
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        ORION_API_KEYS_FILE: path,
        ORION_DATA_DIR: join(folder, 'data'),
        ORION_INTERNAL_TOKEN: 'token'.repeat(7),
        DATABASE_URL: 'postgres://127.0.0.1:1/none',
        TEMPORAL_ADDRESS: '127.0.0.1:1',
      },
      encoding: 'utf8',
      timeout: 30_000,
    },
  );
  return { status, lines: stderr.replaceAll(`ORION_API_KEYS_FILE: ${path}`, 'FILE').trimEnd().split('\n') };
};

it.each(['gateway', 'stack'])(
  'a %s whose key file is unusable ends with exit code 78 and names every problem',
  (entry) => {
    const heading = 'The configuration is not usable:';
    expect(start(entry, '[{"name":')).toEqual({
      status: CONFIG_EXIT_CODE,
      lines: [heading, '  FILE: expected a JSON array of keys, received text that is not JSON'],
    });
    expect(start(entry, '[null]')).toEqual({
      status: CONFIG_EXIT_CODE,
      lines: [heading, '  FILE: [0]: expected an object, received null'],
    });
    // The file has more problems than one function call can take as arguments, which must not break the report.
    const { status, lines } = start(entry, JSON.stringify(Array.from({ length: 200_000 }, () => 0)));
    expect([status, lines[1], lines.at(-1), lines.length]).toEqual([
      CONFIG_EXIT_CODE,
      '  FILE: [0]: expected an object, received 0',
      '  FILE: and 199950 more problems',
      52,
    ]);
  },
);
