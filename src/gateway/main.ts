import { pino } from 'pino';
import { loadServiceConfig, type ServiceConfig } from '../config/config.ts';
import { enterProcess } from '../config/process-entry.ts';
import { joinSupervisor } from '../config/supervised.ts';
import { openDatabase } from '../db/database.ts';
import { migrateDatabase } from '../db/migrate.ts';
import { createTemporalClient } from '../turns/temporal-client.ts';
import { createApp } from './app.ts';
import { composeGateway } from './compose-gateway.ts';
import { listen } from './http-server.ts';

/** For answers that are being written; streams are ended at once, since their clients resume elsewhere. */
const CLOSE_GRACE_MS = 3_000;
/** The supervisor kills after 10 s: say before that what does not end. */
const WATCHDOG_MS = 8_000;

enterProcess('orion-gateway', loadServiceConfig, run);

/** Composition root of the gateway process: serves HTTP until it is told to stop. */
async function run(config: ServiceConfig): Promise<void> {
  const log = pino({ level: config.logLevel, base: { role: 'gateway' } });
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  const ready = joinSupervisor(stop);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop());

  const database = openDatabase(config.databaseUrl, {
    onConnectionLost: (error) => log.warn({ err: error }, 'database connection lost'),
  });
  await migrateDatabase(database.db);
  const temporal = createTemporalClient(config.temporal.connection ?? {}, config.temporal.namespace);
  const server = await listen(config.http.host, config.http.port);
  const { localUrl } = server;
  const { deps, hub } = composeGateway({ config, db: database.db, temporal, log, localUrl });
  server.serve(createApp(deps));
  ready(server.port);
  log.info({ port: server.port }, 'gateway is listening');

  await stopped;
  watchClosing(() => log.error('gateway did not close in time'));
  hub.close();
  await server.close(CLOSE_GRACE_MS);
  await temporal.connection.close();
  await database.close();
}

/** Ends the process with 1 when closing hangs; keeps it alive no longer than it lives anyway. */
const watchClosing = (report: () => void): void => {
  const giveUp = (): void => {
    report();
    process.exit(1);
  };
  setTimeout(giveUp, WATCHDOG_MS).unref();
};
