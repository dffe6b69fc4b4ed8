import type { Logger } from 'pino';
import type { Keyring } from '../../access/key-file.ts';
import type { GatewayConfig } from '../../config/config.ts';
import type { Database } from '../../db/connection/database.ts';
import type { TemporalClient } from '../../temporal/temporal-client.ts';
import type { Connections } from '../connections/connections.ts';
import type { ListenAddress } from '../connections/own-address.ts';
import type { SessionFiles } from './compose-write-sessions.ts';

/** The connections and services that the process has opened before the gateway is built. */
export interface GatewayParts extends ListenAddress {
  readonly config: GatewayConfig;
  readonly db: Database;
  readonly temporal: TemporalClient;
  readonly log: Logger;
  readonly keys: Keyring | undefined;
  readonly files: SessionFiles;
  readonly connections: Connections;
  /** Aborted before the hub is closed. */
  readonly closing: AbortSignal;
}
