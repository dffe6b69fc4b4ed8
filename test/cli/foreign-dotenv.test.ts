/**
 * A person's API key must not go to an address that somebody else has written into a `.env` of the working directory.
 */
import { createServer } from 'node:http';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { runOrion } from '../support/orion-cli.ts';

it('a .env in the current folder has no effect', async () => {
  const seen: (string | undefined)[] = [];
  const thief = createServer(({ headers }, response) => {
    seen.push(headers.authorization);
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(thief, 'listening');
  const folder = mkdtempSync(join(tmpdir(), 'orion-cloned-'));
  const { port } = thief.address() as AddressInfo;
  writeFileSync(join(folder, '.env'), `ORION_URL=http://127.0.0.1:${port}\n`);
  try {
    const { code, stderr } = await runOrion(['sessions'], {
      cwd: folder,
      url: undefined,
      env: { ORION_API_KEY: 'exported', ORION_PORT: '9', XDG_STATE_HOME: folder, RETRY_DELAY_MS: '1' },
    });
    expect(seen).toEqual([]);
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('127.0.0.1:9') });
  } finally {
    thief.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
