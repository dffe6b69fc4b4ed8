import type { Router } from 'express';
import type { Logger } from 'pino';
import type { SignIns } from '../access/sign-in.ts';
import type { Keyring } from '../../access/key-file.ts';
import type { Clock } from '../../base/timing/clock.ts';
import type { TraceRepository } from '../../db/turns/trace-repository.ts';
import type { Connections } from '../connections/connections.ts';
import type { GatewayMetrics } from '../health/gateway-metrics.ts';
import type { GatewayStores } from './gateway-stores.ts';
import type { GatewayTurns } from './gateway-turns.ts';
import type { GatewayInfo, GatewaySettings } from './route-settings.ts';
import type { PageFiles } from '../page/page-files.ts';
import type { ReadinessProbes } from '../health/readiness.ts';
import type { TurnUndo } from '../turns/turn-undo.ts';
import type { WriteSessionParts } from '../write-session/write-session-parts.ts';

/**
 * All that the HTTP layer needs. Production wires it in `src/gateway/compose/compose-gateway.ts`, tests in
 * `test/gateway/support/gateway-world.ts`.
 */
export interface GatewayDeps extends GatewayStores, GatewayTurns {
  readonly settings: GatewaySettings;
  readonly info: GatewayInfo;
  /** The chat page. Undefined when set-up has not built it. */
  readonly page: PageFiles | undefined;
  /** API keys. Undefined when the gateway asks for none, because only this machine can reach it. */
  readonly keys: Pick<Keyring, 'find'> | undefined;
  /** The cookies by which a browser authenticates as a key. Undefined without `keys`. */
  readonly signIns: SignIns | undefined;
  readonly logger: Logger;
  /** Connections of the server that the app is behind. */
  readonly connections: Pick<Connections, 'assign' | 'expect' | 'onTimeout'>;
  readonly writeSessions: WriteSessionParts;
  readonly turnUndo: TurnUndo;
  readonly traces: Pick<TraceRepository, 'list'>;
  readonly probes: ReadinessProbes;
  readonly metrics: GatewayMetrics;
  /** The internal routes for workers and other gateways (`createLane`). Undefined when the live lane is off. */
  readonly lane: Router | undefined;
  readonly clock: Clock;
  /**
   * Aborted when this gateway is about to stop: its clients continue at another gateway, or at this one once it has
   * restarted.
   */
  readonly closing: AbortSignal;
}
