import type { Logger } from 'pino';
import type { WriteSessionRow } from '../src/db/write-session-row.ts';
import type { TurnRow } from '../src/db/turn-row.ts';
import { reconcileSession } from '../src/write-session-service/reconcile-session.ts';
import type { SessionDeps } from '../src/write-session-service/session-deps.ts';
import { reconcileTurn } from '../src/turns/reconcile.ts';
import type { ReconcileDeps } from '../src/turns/reconcile.ts';
import { sweep } from './sweeper.ts';
import type { SweptRows } from './sweeper.ts';

/** One sweep per table: a slow one keeps no other back. */
export const sweepsOf = (deps: ReconcileDeps & SessionDeps, log: Logger): (() => Promise<void>)[] => [
  () => sweep(sweptTurns(deps), log),
  () => sweep(sweptSessions(deps), log),
];

export const sweptTurns = (deps: ReconcileDeps): SweptRows<TurnRow> => ({
  what: 'turn',
  claim: (options) => deps.turns.claimRunning(options),
  reconcile: (row) => reconcileTurn(deps, row),
  named: ({ turnId }) => ({ turnId }),
});

export const sweptSessions = (deps: SessionDeps): SweptRows<WriteSessionRow> => ({
  what: 'write session',
  claim: (options) => deps.repository.claimOpen(options),
  reconcile: (row) => reconcileSession(deps, row),
  named: ({ sessionId }) => ({ sessionId }),
});
