import type { GatewayConfig } from '../../config/config.ts';
import { systemClock } from '../../base/timing/clock.ts';
import { createInputRepository } from '../../db/inputs/input-repository.ts';
import { createReplyContents } from '../../db/inputs/reply-contents.ts';
import { findSteer } from '../../db/turns/steer-rows.ts';
import type { ReconcileDeps } from '../../turn-service/reconcile.ts';
import type { GatewayTurns } from '../deps/gateway-turns.ts';
import type { GatewayParts } from './gateway-parts.ts';
import { laneAddressOf } from '../connections/own-address.ts';
import type { TurnHub } from '../hub/turn-hub.ts';
import type { StorageLimits } from '../storage/storage-limits.ts';
import { LoadLimit } from '../admission/load-limit.ts';
import { createSendTurnUpdate } from '../turns/send-turn-update.ts';
import type { ConcurrentStarts } from '../admission/concurrent-starts.ts';
import { createInputRequests } from '../turns/input-requests.ts';
import { createTurnStarter } from '../turns/turn-starter.ts';
import type { TurnDefaults } from '../turns/turn-input.ts';
import { createTurnSteers } from '../turns/turn-steers.ts';
import { createTurnCanceller, createTurnReader } from '../turns/turn-workflows.ts';

/** The parts over which the ports to turns are built. */
export interface ComposeTurnsDeps {
  readonly reconcileDeps: ReconcileDeps;
  readonly starts: ConcurrentStarts;
  readonly hub: TurnHub;
  readonly storage: StorageLimits;
  /** Reports whether the namespace has Orion's search attributes. Rejects while Temporal cannot be reached. */
  readonly hasSearchAttributes: () => Promise<boolean>;
}

/** Composes the ports to turns: starting, reading, watching, cancelling and steering them, and replying to them. */
export const composeTurns = (
  parts: GatewayParts,
  { reconcileDeps, starts, hub, storage, hasSearchAttributes }: ComposeTurnsDeps,
): GatewayTurns => {
  const { db } = parts;
  const { client, turns } = reconcileDeps;
  const updateDeps = { turns, sendUpdate: createSendTurnUpdate(reconcileDeps) };
  const { now } = systemClock;
  return {
    starter: createTurnStarter({
      ...reconcileDeps,
      defaults: turnDefaultsOf(parts.config, laneAddressOf(parts.config, parts)),
      loadLimit: new LoadLimit({ countRunning: () => turns.countRunning(), starts, now }),
      hasSearchAttributes,
    }),
    turns: createTurnReader(client, turns),
    canceller: createTurnCanceller(reconcileDeps),
    watchedTurns: hub,
    inputRequests: createInputRequests({
      ...updateDeps,
      inputs: createInputRepository(db),
      replyContents: createReplyContents(db),
      storage,
    }),
    steers: createTurnSteers({
      ...updateDeps,
      watchedTurns: hub,
      findSteer: (...args) => findSteer(db, ...args),
    }),
  };
};

const turnDefaultsOf = (config: GatewayConfig, liveLane: string | undefined): TurnDefaults => ({
  budgets: config.turns.budgets,
  model: config.model.model,
  fallbacks: config.model.fallbacks,
  maxTurnCost: config.turns.maxTurnCost,
  toolResultRole: config.turns.toolResultRole,
  projects: config.projects,
  heartbeatTimeoutMs: config.worker.heartbeatTimeoutMs,
  sessionInactivityMs: config.writeSessions.inactivityTimeoutMs,
  inputs: config.inputs,
  notifies: config.notifies,
  maxPhaseCyclesLimit: config.turns.maxPhaseCyclesLimit,
  liveLane,
});
