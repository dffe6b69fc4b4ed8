import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { localUrlOf } from '../base/hosts/local-url.ts';
import { isLoopback } from '../base/hosts/loopback.ts';
import type { Config } from '../config/config.ts';
import { migrateDatabaseAt } from '../db/migrations/migrate-at-start.ts';
import { machineEnvironment, nodeEnvironment, serviceEnvironments } from './children/child-environment.ts';
import type { ChildRegistry } from './processes/child.ts';
import { createNodeService } from './children/node-service.ts';
import { createPostgresService, createTemporalService } from './children/server-services.ts';
import { createWorkerServices } from './children/worker-services.ts';
import { ensurePrivateFolder } from './private-folder.ts';
import { createProcessesFile } from './processes/processes-file.ts';
import { openReapList } from './processes/reap-list.ts';
import { startGuardProxy } from './servers/guard-proxy.ts';
import {
  findLoopbackAddress,
  type LoopbackAddress,
  findFreePort,
  requireUsablePorts,
} from './servers/ports.ts';
import { metricsPorts, wantedPorts } from './servers/wanted-ports.ts';
import { ensureWorkspace, listWorkspaceNotices } from './start-workspace.ts';
import { StartedParts } from './started-parts.ts';
import { writeWorkflowBundle } from './workflow-bundle.ts';

export interface SupervisorOptions {
  /** Folder of the checkout. */
  readonly root: string;
  readonly config: Config;
  readonly env: NodeJS.ProcessEnv;
  readonly log: (line: string) => void;
}

/** The addresses at which the running system is reached. */
export interface StackAddresses {
  readonly gateway: string;
  /** Undefined if the stack has no Web UI. */
  readonly temporalUi: string | undefined;
  /** Undefined if a real model is configured. */
  readonly demoModel: string | undefined;
}

/** The arguments with which every part of the system is started. */
interface StartArguments extends SupervisorOptions {
  readonly dataDir: string;
  readonly registry: ChildRegistry;
}

/** Starts the parts of the system in order and keeps them running (docs/operations.md). */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #parts = new StartedParts();

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  /** Starts everything. Rejects when a part does not start, or when `stop` was called. */
  start(): Promise<StackAddresses> {
    return this.#parts.track(() => this.#startAll());
  }

  /** Stops everything. It may be called at any time, and more than once. Resolves when no process is left. */
  stop(): Promise<void> {
    return this.#parts.stop();
  }

  async #startAll(): Promise<StackAddresses> {
    const { config, env } = this.#options;
    const { dataDir } = config;
    const registry = await openRegistry(dataDir);
    this.#parts.closeAtEnd(
      () => registry.processes.close(),
      () => registry.reapList.close(),
    );
    ensureWorkspace(config);
    for (const line of listWorkspaceNotices(config)) this.#options.log(line);
    rotateLogs(dataDir);
    await requireUsablePorts(wantedPorts(config));
    const shared = { ...this.#options, dataDir, registry };
    const servers = await this.#startServers({ ...shared, env: machineEnvironment(env) });
    // Gateway and workers expect the tables of this version.
    const databaseUrl = servers.databaseUrl ?? config.databaseUrl;
    if (databaseUrl === undefined) throw new Error('expected a database that was configured or started');
    await migrateDatabaseAt(databaseUrl);
    const environments = serviceEnvironments(env, config, servers);
    const [gateway] = await Promise.all([
      this.#parts.track(() => this.#startGateway({ ...shared, env: environments.gateway })),
      this.#parts.track(() =>
        this.#startWorkers({ ...shared, env: environments.worker }, servers.temporalAddress),
      ),
    ]);
    return { gateway, temporalUi: config.temporal.uiUrl, demoModel: servers.demoModelUrl };
  }

  /**
   * Starts the servers that gateway and workers need, and builds the workflow bundle. All of this happens at the same
   * time, since no part needs another.
   */
  async #startServers(shared: StartArguments) {
    const [temporalAddress, databaseUrl, demoModelUrl, workflowBundle] = await Promise.all([
      this.#parts.track(() => this.#startTemporal(shared)),
      this.#parts.track(() => this.#startPostgres(shared)),
      this.#parts.track(() => this.#startDemoModel(shared)),
      this.#parts.track(() => writeWorkflowBundle(shared.root, shared.dataDir, this.#parts.stopSignal)),
    ]);
    return { temporalAddress, databaseUrl, demoModelUrl, workflowBundle };
  }

  async #startTemporal(shared: StartArguments): Promise<string | undefined> {
    if (shared.config.temporal.address !== undefined) return undefined;
    const ui = await findLoopbackAddress();
    const { service, address } = createTemporalService(shared, ui);
    const { temporalUiPort } = shared.config.stack;
    await Promise.all([
      this.#parts.startServer(service),
      this.#parts.track(() => this.#guard('127.0.0.1', temporalUiPort, ui, 'The Temporal Web UI')),
    ]);
    return address;
  }

  /** Opens a port to a server without authentication, behind a guard that refuses requests of foreign web pages. */
  async #guard(host: string, port: number, target: LoopbackAddress, serverName: string): Promise<void> {
    const { allowedHosts } = this.#options.config.http;
    const guard = await startGuardProxy({ host, port, target, allowedHosts, serverName });
    this.#parts.closeAtEnd(() => guard.close());
  }

  async #startPostgres(shared: StartArguments): Promise<string | undefined> {
    if (shared.config.databaseUrl !== undefined) return undefined;
    const { service, url } = await createPostgresService(shared);
    await this.#parts.startServer(service);
    return url;
  }

  async #startDemoModel(shared: StartArguments): Promise<string | undefined> {
    if (shared.config.model.kind !== 'demo') return undefined;
    // Chosen here, because a restarted demo model has to answer at the address that the workers know.
    const port = await findFreePort();
    const entry = ['src/demo-model/main.ts', String(port)] as const;
    const env = () => nodeEnvironment(this.#options.env);
    await this.#parts.startServer(
      createNodeService({ ...shared, role: 'demo-model', name: 'demo-model', entry, env, port }),
    );
    return `http://127.0.0.1:${port}/v1`;
  }

  async #startGateway(shared: StartArguments): Promise<string> {
    const { host } = shared.config.http;
    let { port } = shared.config.http;
    const gateway = createNodeService({
      ...shared,
      role: 'gateway',
      name: 'gateway',
      entry: ['src/gateway/main.ts'],
      env: () => shared.env,
      port,
      onReady: (actual) => (port = actual ?? port),
    });
    await this.#parts.startClient(gateway);
    return localUrlOf(host, port);
  }

  async #startWorkers(shared: StartArguments, temporalAddress: string | undefined): Promise<void> {
    const metrics = await this.#openMetrics(shared.config);
    const workers = createWorkerServices({ ...shared, temporalAddress, metrics });
    this.#parts.closeAtEnd(workers.close);
    await Promise.all(workers.services.map((service) => this.#parts.startClient(service)));
    await workers.warmUp();
  }

  /**
   * Returns the addresses at which the workers serve their metrics. The library that serves metrics answers anybody, so
   * on loopback a guard listens at the known address, and the worker at a hidden address.
   */
  async #openMetrics(config: Config): Promise<readonly LoopbackAddress[]> {
    const { host } = config.metrics;
    return Promise.all(
      metricsPorts(config).map(async (port, index) => {
        if (!isLoopback(host)) return { host, port };
        const hidden = await findLoopbackAddress();
        await this.#parts.track(() => this.#guard(host, port, hidden, `Worker ${index + 1}`));
        return hidden;
      }),
    );
  }
}

const openRegistry = async (dataDir: string): Promise<ChildRegistry> => {
  ensurePrivateFolder(dataDir);
  const reapList = await openReapList(join(dataDir, 'processes.reap'));
  const processes = createProcessesFile(dataDir);
  processes.add({ role: 'supervisor', pid: process.pid });
  return { reapList, processes };
};

/**
 * Keeps the logs of the last run beside those of this one, since they may say why the last run ended. Older logs are
 * removed.
 */
const rotateLogs = (dataDir: string): void => {
  const logs = join(dataDir, 'logs');
  const previous = join(dataDir, 'logs-previous');
  if (!existsSync(logs)) return;
  rmSync(previous, { recursive: true, force: true });
  renameSync(logs, previous);
};
