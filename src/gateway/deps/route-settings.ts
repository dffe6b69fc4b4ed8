import { isLoopback } from '../../base/hosts/loopback.ts';
import { packageVersion } from '../../base/package-version.ts';
import type { GatewayConfig } from '../../config/config.ts';
import type { ModelFacts } from '../../contracts/model/model-facts.ts';
import type { Setting } from '../../contracts/values/setting.ts';
import type { ProtocolName } from '../../contracts/turn/turn-facts.ts';
import type { OfferedTurnOptions } from '../requests/turn-options.ts';
import type { TemporalUi } from '../turns/turn-status.ts';
import { allowedHostsOf } from '../connections/own-address.ts';

/** The part of the configuration that routes and guards need. */
export interface GatewaySettings extends OfferedTurnOptions {
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  /** Largest number of starts of turns and notes that a client may send in a minute. 0 means no limit. */
  readonly turnsPerMinute: number;
  readonly maxStreamsPerClient: number;
  /**
   * Largest number of turns of one key that may run at once, by protocol; those that wait for a person do not count. 0
   * means no limit.
   */
  readonly turnsPerKey: Readonly<Record<ProtocolName, number>>;
  /** True when metrics are shown without a key, because only this machine can ask. */
  readonly areMetricsPublic: boolean;
  /** The address of the Temporal Web UI, for links to it. Undefined when responses carry no links. */
  readonly temporalUi: TemporalUi | undefined;
}

/** What `GET /api/info` tells about a gateway. Secrets are masked in `settings`. */
export interface GatewayInfo {
  readonly version: string;
  readonly workspace: string;
  readonly settings: readonly Setting[];
  readonly modelFacts: readonly ModelFacts[];
}

/** Selects from the configuration what `GatewaySettings` holds. */
export const settingsOf = ({ http, turns, temporal, model }: GatewayConfig): GatewaySettings => ({
  allowedHosts: allowedHostsOf(http),
  allowedOrigins: http.allowedOrigins,
  turnsPerMinute: http.turnsPerMinute,
  maxStreamsPerClient: http.maxStreamsPerClient,
  turnsPerKey: http.turnsPerKey,
  areMetricsPublic: isLoopback(http.host),
  offersTwoStage: turns.offersTwoStage,
  maxPhaseCyclesLimit: turns.maxPhaseCyclesLimit,
  models: model.offered,
  temporalUi:
    temporal.uiUrl === undefined ? undefined : { url: temporal.uiUrl, namespace: temporal.namespace },
});

/** Returns what a gateway of this configuration tells about itself. */
export const infoOf = ({ workspace, settings, model }: GatewayConfig): GatewayInfo => ({
  version: packageVersion(),
  workspace,
  settings,
  modelFacts: model.facts,
});
