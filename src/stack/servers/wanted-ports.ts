import type { Config } from '../../config/config.ts';
import type { WantedPort } from './ports.ts';

const LOOPBACK = '127.0.0.1';

/**
 * Returns the ports that the configuration names for the processes of a start. All other ports are chosen by the
 * operating system.
 */
export const wantedPorts = ({
  http,
  temporal,
  databaseUrl,
  stack,
  metrics,
}: Config): readonly WantedPort[] => {
  const ports: WantedPort[] = [];
  const want = (purpose: string, variable: string, port: number, host = LOOPBACK): void =>
    void ports.push({ purpose, variable, port, host });
  want('gateway', 'ORION_PORT', http.port, http.host);
  if (temporal.address === undefined) {
    want('Temporal', 'ORION_TEMPORAL_PORT', stack.temporalPort);
    want('Temporal Web UI', 'ORION_TEMPORAL_UI_PORT', stack.temporalUiPort);
  }
  if (databaseUrl === undefined) want('Postgres', 'ORION_POSTGRES_PORT', stack.postgresPort);
  metricsPorts({ metrics, stack }).forEach((port, index) =>
    want(`metrics of worker ${index + 1}`, 'ORION_METRICS_PORT', port, metrics.host),
  );
  return ports;
};

/**
 * Returns one port for the metrics of each worker, since two processes cannot share one. Returns none if metrics are
 * off.
 */
export const metricsPorts = ({ metrics, stack }: Pick<Config, 'metrics' | 'stack'>): readonly number[] => {
  const { port: firstPort } = metrics;
  return firstPort === undefined
    ? []
    : Array.from({ length: stack.workers }, (_, index) => firstPort + index);
};
