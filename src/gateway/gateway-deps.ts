import type { Router } from 'express';
import type { Logger } from 'pino';
import type { MessageStore } from './message-store.ts';
import type { ProtocolSettings } from './requests/posted-message.ts';
import type { ReadinessProbes } from './readiness.ts';
import type { Timers } from './timers.ts';
import type { TurnCanceller, TurnEvents, TurnReader, TurnStarter } from './turns/turn-ports.ts';
import type { TemporalUi } from './turns/turn-status.ts';

export interface GatewaySettings extends ProtocolSettings {
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  /** Turn starts per client; 0: no limit. */
  readonly turnsPerMinute: number;
  readonly maxStreamsPerClient: number;
  /** Undefined: answers carry no links to it. */
  readonly temporalUi: TemporalUi | undefined;
}

/** All that the HTTP layer needs. Production wiring: `compose-gateway.ts`; tests: `test/gateway/support/`. */
export interface GatewayDeps {
  readonly settings: GatewaySettings;
  readonly logger: Logger;
  readonly starter: TurnStarter;
  readonly turns: TurnReader;
  readonly canceller: TurnCanceller;
  readonly events: TurnEvents;
  readonly messages: MessageStore;
  readonly probes: ReadinessProbes;
  /** `createLaneRouter`; undefined when the live lane is off. */
  readonly lane: Router | undefined;
  readonly timers: Timers;
}
