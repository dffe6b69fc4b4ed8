/** Checks that a worker which cannot start says why in one line, with the variable to change and without a stack. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from '@jest/globals';
import { drawFreePort } from '../support/free-port.ts';

const main = fileURLToPath(new URL('../../worker/main.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'orion-worker-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const start = async (env: Readonly<Record<string, string>>): Promise<{ code: unknown; output: string }> => {
  const bundle = join(folder, 'bundle.js');
  writeFileSync(bundle, '');
  const child = spawn(process.execPath, [main], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      ORION_DATA_DIR: join(folder, 'data'),
      ORION_INTERNAL_TOKEN: 'token'.repeat(7),
      ORION_WORKFLOW_BUNDLE: bundle,
      DATABASE_URL: 'postgres://127.0.0.1:1/none',
      TEMPORAL_ADDRESS: `127.0.0.1:${await drawFreePort()}`,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: ((await exited) as unknown[])[0], output: stdout + stderr };
};

it('a start names a workspace that is a file, and a metrics port that is taken', async () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  expect(await start({ ORION_WORKSPACE: file })).toMatchObject({
    code: 78,
    output: expect.stringMatching(/\n {2}ORION_WORKSPACE: expected a directory, received ".*file"\n$/),
  });
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const { code, output } = await start({ ORION_METRICS_PORT: String(port) });
  taken.close();
  expect([code, output]).toEqual([
    1,
    expect.stringMatching(
      new RegExp(`^ORION_METRICS_PORT: cannot serve metrics on 127\\.0\\.0\\.1:${port} \\(.*in use.*\\)\n$`),
    ),
  ]);
});

it('a start names the Temporal server that does not answer', async () => {
  const address = `127.0.0.1:${await drawFreePort()}`;
  const { code, output } = await start({ TEMPORAL_ADDRESS: address });
  expect([code, output]).toEqual([
    1,
    expect.stringMatching(new RegExp(`^TEMPORAL_ADDRESS: no Temporal server answers at ${address} .*\n$`)),
  ]);
});
