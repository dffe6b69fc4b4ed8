import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { loadConfig } from '../../../src/config/load-config.ts';
import { findFreePort, requireUsablePorts } from '../../../src/stack/servers/ports.ts';
import { wantedPorts } from '../../../src/stack/servers/wanted-ports.ts';

const servers: Server[] = [];
afterEach(() => servers.splice(0).forEach((server) => server.close()));

const NOBODY = 65_534;
const PRIVILEGED_PORT = 1;

/** Runs `work` without the rights of root, who may open every port. */
const asOrdinaryUser = async (work: () => Promise<void>): Promise<void> => {
  if (process.geteuid?.() !== 0) return work();
  process.seteuid?.(NOBODY);
  try {
    await work();
  } finally {
    process.seteuid?.(0);
  }
};

const occupy = async (host: string): Promise<number> => {
  const port = await findFreePort();
  const server = createServer().listen(port, host);
  servers.push(server);
  await once(server, 'listening');
  return port;
};

describe('ports of a start', () => {
  it('that are taken are all named, each with the variable that changes it', async () => {
    const [gateway, temporal, free] = [
      await occupy('127.0.0.1'),
      await occupy('0.0.0.0'),
      await findFreePort(),
    ];
    const config = loadConfig({
      ORION_PORT: String(gateway),
      ORION_TEMPORAL_PORT: String(temporal),
      ORION_TEMPORAL_UI_PORT: String(free),
      DATABASE_URL: 'postgres://db',
    });
    await expect(requireUsablePorts(wantedPorts(config))).rejects.toThrow(
      `Port ${gateway} (gateway) is in use: stop what uses it, or set ORION_PORT.\n` +
        `Port ${temporal} (Temporal) is in use: stop what uses it, or set ORION_TEMPORAL_PORT.`,
    );
  });

  const unprivileged = '/proc/sys/net/ipv4/ip_unprivileged_port_start';
  const wherePortsArePrivileged =
    existsSync(unprivileged) && Number(readFileSync(unprivileged, 'utf8')) > PRIVILEGED_PORT ? it : it.skip;

  wherePortsArePrivileged('that this account may not open are named, too', async () => {
    const config = loadConfig({
      ORION_PORT: String(PRIVILEGED_PORT),
      TEMPORAL_ADDRESS: 'a:1',
      DATABASE_URL: 'postgres://db',
    });
    await asOrdinaryUser(() =>
      expect(requireUsablePorts(wantedPorts(config))).rejects.toThrow(
        `This account may not open port ${PRIVILEGED_PORT} (gateway): set ORION_PORT to another.`,
      ),
    );
  });

  it('are only those of the servers that it starts itself', () => {
    const config = loadConfig({ TEMPORAL_ADDRESS: 'a:1', DATABASE_URL: 'postgres://db' });
    expect(wantedPorts(config).map(({ variable }) => variable)).toEqual(['ORION_PORT']);
  });

  it('include one for the metrics of each worker, where Prometheus asks', () => {
    const addresses = { TEMPORAL_ADDRESS: 'a:1', DATABASE_URL: 'postgres://db' };
    const metrics = { ORION_METRICS_PORT: '9100', ORION_METRICS_HOST: '0.0.0.0', ORION_WORKERS: '3' };
    expect(wantedPorts(loadConfig({ ...addresses, ...metrics })).slice(1)).toEqual(
      [1, 2, 3].map((worker) => ({
        purpose: `metrics of worker ${worker}`,
        variable: 'ORION_METRICS_PORT',
        port: 9099 + worker,
        host: '0.0.0.0',
      })),
    );
  });
});
