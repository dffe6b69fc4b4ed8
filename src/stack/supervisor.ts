import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import type { ChildRegistry } from './child.ts';
import { migrateDatabaseAt } from './migrate-database.ts';
import { createNodeService } from './node-service.ts';
import { findFreePort, requireFreePorts, type WantedPort } from './ports.ts';
import { createProcessesFile } from './processes-file.ts';
import { openReapList } from './reap-list.ts';
import { createPostgresService, createTemporalService } from './server-services.ts';
import type { Service } from './service.ts';
import { serviceEnvironment } from './service-environment.ts';
import { createWorkerServices } from './worker-services.ts';
import { writeWorkflowBundle } from './workflow-bundle.ts';

export interface SupervisorOptions {
  /** Folder of the checkout. */
  readonly root: string;
  readonly config: Config;
  readonly env: NodeJS.ProcessEnv;
  readonly log: (line: string) => void;
}

/** Where the running system is reached. */
export interface Addresses {
  readonly gateway: string;
  readonly temporalUi: string | undefined;
  readonly demoModel: string | undefined;
}

export interface Supervisor {
  /** Starts everything; rejects when a part does not start, or when `stop` was called. */
  start(): Promise<Addresses>;
  /** Stops everything at once; may be called at any time, and again. Resolves when no process is left. */
  stop(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';

/** A gateway bound to every address is reached on this machine by loopback. */
const urlOf = (host: string, port: number): string => {
  const reachable = host === '0.0.0.0' || host === '::' ? LOOPBACK : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
};

const wantedPorts = ({ http, temporal, databaseUrl, stack }: Config): readonly WantedPort[] => [
  { port: http.port, host: http.host, purpose: 'gateway', variable: 'ORION_PORT' },
  ...(temporal.address === undefined
    ? [
        { port: stack.temporalPort, host: LOOPBACK, purpose: 'Temporal', variable: 'ORION_TEMPORAL_PORT' },
        {
          port: stack.temporalUiPort,
          host: LOOPBACK,
          purpose: 'Temporal Web UI',
          variable: 'ORION_TEMPORAL_UI_PORT',
        },
      ]
    : []),
  ...(databaseUrl === undefined
    ? [{ port: stack.postgresPort, host: LOOPBACK, purpose: 'Postgres', variable: 'ORION_POSTGRES_PORT' }]
    : []),
];

/** Logs of the last run stay for one more: they may say why it ended. */
const turnOverLogs = (dataDir: string): void => {
  const [logs, previous] = [join(dataDir, 'logs'), join(dataDir, 'logs-previous')];
  if (!existsSync(logs)) return;
  rmSync(previous, { recursive: true, force: true });
  renameSync(logs, previous);
};

const openRegistry = async (dataDir: string): Promise<ChildRegistry> => {
  mkdirSync(dataDir, { recursive: true });
  const reapList = await openReapList(join(dataDir, 'processes.reap'));
  const processes = createProcessesFile(dataDir);
  processes.add({ role: 'supervisor', pid: process.pid });
  return { reapList, processes };
};

/** Starts the parts of the system in order and keeps them running (architecture.md "Two commands"). */
export const createSupervisor = (options: SupervisorOptions): Supervisor => {
  const { root, config, env, log } = options;
  const { dataDir } = config;
  const stopping = new AbortController();
  const services: Service[] = [];
  const closing: (() => Promise<void> | void)[] = [];
  let started: Promise<unknown> = Promise.resolve();

  const begin = async (service: Service): Promise<void> => {
    stopping.signal.throwIfAborted();
    services.push(service);
    await service.start();
  };

  const startTemporal = async (registry: ChildRegistry): Promise<string | undefined> => {
    if (config.temporal.address !== undefined) return undefined;
    const { service, address } = createTemporalService({ ...options, registry });
    await begin(service);
    return address;
  };

  const startPostgres = async (registry: ChildRegistry): Promise<string | undefined> => {
    if (config.databaseUrl !== undefined) return undefined;
    const { service, url } = await createPostgresService({ ...options, registry });
    await begin(service);
    return url;
  };

  const startDemoModel = async (registry: ChildRegistry): Promise<string | undefined> => {
    if (config.model.kind !== 'demo') return undefined;
    const port = await findFreePort();
    const entry = ['src/llm/demo-model-main.ts', String(port)] as const;
    const shared = { root, dataDir, registry, log, env: () => env };
    await begin(createNodeService({ ...shared, role: 'demo-model', name: 'demo-model', entry, port }));
    return `http://${LOOPBACK}:${port}/v1`;
  };

  const startGateway = async (registry: ChildRegistry, serviceEnv: NodeJS.ProcessEnv): Promise<string> => {
    let { port } = config.http;
    const gateway = createNodeService({
      ...{ root, dataDir, registry, log, port },
      role: 'gateway',
      name: 'gateway',
      entry: ['src/gateway/main.ts'],
      env: () => serviceEnv,
      onReady: (actual) => (port = actual ?? port),
    });
    await begin(gateway);
    return urlOf(config.http.host, port);
  };

  const startAll = async (): Promise<Addresses> => {
    const registry = await openRegistry(dataDir);
    closing.push(
      () => registry.processes.close(),
      () => registry.reapList.close(),
    );
    turnOverLogs(dataDir);
    await requireFreePorts(wantedPorts(config));
    const [temporalAddress, databaseUrl, demoModelUrl, workflowBundle] = await Promise.all([
      startTemporal(registry),
      startPostgres(registry),
      startDemoModel(registry),
      writeWorkflowBundle(root, dataDir, stopping.signal),
    ]);
    await migrateDatabaseAt(databaseUrl ?? config.databaseUrl ?? '');
    const serviceEnv = serviceEnvironment(env, config, {
      temporalAddress,
      databaseUrl,
      demoModelUrl,
      workflowBundle,
    });
    const workers = createWorkerServices({
      root,
      dataDir,
      registry,
      log,
      config,
      env: serviceEnv,
      temporalAddress,
    });
    closing.push(workers.close);
    const [gateway] = await Promise.all([startGateway(registry, serviceEnv), ...workers.services.map(begin)]);
    const temporalUi = config.temporal.uiUrl;
    return { gateway, temporalUi, demoModel: demoModelUrl };
  };

  return {
    start() {
      const starting = startAll();
      started = starting.catch(() => undefined);
      return starting;
    },
    async stop() {
      stopping.abort(new Error('stopped'));
      await Promise.all(services.map((service) => service.stop()));
      // A part that was just being started is stopped by its own service; wait until that has happened.
      await started;
      for (const close of closing.splice(0)) await close();
    },
  };
};
