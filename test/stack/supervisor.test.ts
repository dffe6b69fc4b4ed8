/** Checks that a start ends with its stop, however early that comes. */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { loadConfig } from '../../src/config/load-config.ts';
import { drawFreePort } from '../support/free-port.ts';
import { Supervisor } from '../../src/stack/supervisor.ts';
import { findInitdb } from './support/find-initdb.ts';
import { ROOT } from '../support/root.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orion-supervisor-'));
  mkdirSync(join(folder, 'workspace'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const createSupervisor = async (env: Readonly<Record<string, string>>): Promise<Supervisor> => {
  const all = {
    PATH: process.env['PATH'],
    ORION_DATA_DIR: join(folder, 'data'),
    ORION_WORKSPACE: join(folder, 'workspace'),
    ORION_PORT: String(await drawFreePort()),
    OPENAI_API_KEY: 'unused',
    ...env,
  };
  return new Supervisor({ root: ROOT, config: loadConfig(all), env: all, log: () => undefined });
};

(existsSync('/proc/self') ? it : it.skip)(
  'nothing is started after a stop that comes before it',
  async () => {
    const supervisor = await createSupervisor({ TEMPORAL_ADDRESS: '127.0.0.1:1' });
    await Promise.all([expect(supervisor.start()).rejects.toThrow(), supervisor.stop()]);
    expect(findInitdb(process.pid)).toBeUndefined();
    expect(existsSync(join(folder, 'data', 'processes.json'))).toBe(false);
    await expect(supervisor.start()).rejects.toThrow('stopped');
  },
);

it('no port stays open after a stop that comes before it is opened', async () => {
  const port = await drawFreePort();
  const supervisor = await createSupervisor({
    DATABASE_URL: 'postgres://127.0.0.1:1/none',
    ORION_TEMPORAL_UI_PORT: String(port),
  });
  await Promise.all([expect(supervisor.start()).rejects.toThrow(), supervisor.stop()]);
  await expect(once(connect(port, '127.0.0.1'), 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});
