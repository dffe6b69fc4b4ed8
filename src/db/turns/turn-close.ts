import type { Selectable } from 'kysely';
import type { ReplacedText } from '../../contracts/write-session/write-session.ts';
import type { AcceptedSteer } from '../../contracts/inputs/steering.ts';
import { safeText } from '../../contracts/values/safe-text.ts';
import { turnOutcomeOf } from '../../contracts/wire/turn-outcome.ts';
import type { TerminalEvent } from '../../contracts/wire/turn-event.ts';
import { fullContentOf, mergeBatches } from '../../protocol/event-log/event-log.ts';
import type { Database } from '../connection/database.ts';
import { tryInSavepoint } from '../connection/savepoint.ts';
import {
  toWorkflowClose,
  endedOutsideTrace,
  type OutsideClose,
  type WorkflowClose,
} from './outside-close.ts';
import { closeSpend, seenTokensOf } from '../usage/spend-repository.ts';
import { storeTranscript } from './transcript-rows.ts';
import { storeSteers } from './steer-rows.ts';
import { closeAllInputs, closeInputs } from '../inputs/input-repository.ts';
import type { TurnsTable, TurnKeyRow } from '../tables/turn-tables.ts';
import { storeSegments, loadSegments } from './segment-repository.ts';
import { storeTurnEnded } from '../outbox/outbox-repository.ts';
import { countTurnBytes } from '../usage/stored-bytes.ts';
import { toTerminal, type StoredTerminal } from './turn-row.ts';
import { storeTraces } from './trace-repository.ts';

/** The result of closing a turn, which happens once. */
export interface CloseOutcome {
  /** True when this call closed the turn. False when it was closed before. */
  readonly isClosedHere: boolean;
  /** The turn's last event, whoever closed it. */
  readonly terminal: StoredTerminal;
  /**
   * Why the transcript could not be stored. Later prompts then use the turn's messages. Undefined if it did not fail,
   * or was not tried (outside close, closed before).
   */
  readonly transcriptFailure?: unknown;
  /** Why storing the closing traces failed. Undefined if it did not fail, or was not tried. */
  readonly traceFailure?: unknown;
  /**
   * Why counting the turn's bytes failed (src/db/usage/stored-bytes.ts). Undefined if it did not fail, or was not
   * tried.
   */
  readonly countFailure?: unknown;
}

/** Thrown when there is no row with a turn's id. Trying again does not help. */
export class UnknownTurnError extends Error {
  override readonly name = 'UnknownTurnError';

  constructor(turnId: string) {
    super(`There is no turn "${turnId}" in the database.`);
  }
}

/**
 * Ends a turn in one transaction: the row, its events and messages, open input requests, costs and the webhook message.
 * Transcript, traces and byte count may fail without undoing the rest (`…Failure`). The first close wins, and every
 * later close gets what the first has stored. Throws UnknownTurnError.
 */
export const closeTurn = async (db: Database, input: WorkflowClose | OutsideClose): Promise<CloseOutcome> => {
  const isOutside = 'outside' in input;
  const close = isOutside ? toWorkflowClose(input) : input;
  return db.transaction().execute(async (trx) => {
    const turn = await lockRunning(trx, close.turnId);
    if (!turn) return { isClosedHere: false, terminal: await loadTerminal(trx, close.turnId) };
    await storeSegments(trx, close.turnId, close.ownEvents);
    const batches = await loadSegments(trx, close.turnId);
    const list = mergeBatches(batches);
    const { unapplied = [] } = close;
    const content = fullContentOf(list);
    const terminal = {
      id: close.terminalId,
      after: close.terminalAfter,
      event: { ...terminalEvent(close.terminal, content), ...unappliedField(unapplied) },
    };
    await storeEnd(trx, close, terminal, safeText(content));
    await closeInputs(trx, close.turnId, close.resolutions ?? []);
    await closeAllInputs(trx, close.turnId);
    // The ids of messages rise as they are inserted, so messages into the turn come before its answer.
    await storeSteers(trx, turn, { list, unapplied });
    if (turn.notifies) await storeTurnEnded(trx, turn, turnOutcomeOf(terminal.event));
    await storeAnswer(trx, turn, { event: terminal.event, content, replaced: close.writeSessions ?? [] });
    // A failure in one of these savepoints must not keep the turn from ending.
    const transcriptFailure = isOutside
      ? undefined
      : await tryInSavepoint(trx, () =>
          storeTranscript(trx, { turnId: close.turnId, list, replaced: close.writeSessions ?? [] }),
        );
    const traces = isOutside ? [endedOutsideTrace(turn, close)] : (close.closingTraces ?? []);
    const traceFailure =
      traces.length === 0 ? undefined : await tryInSavepoint(trx, () => storeTraces(trx, traces));
    // An outside close has given the events another epoch. Only its input has the epochs of the attempts.
    await closeSpend(trx, close.turnId, seenTokensOf(isOutside ? input.outside.batches : batches));
    const countFailure = await tryInSavepoint(trx, () => countTurnBytes(trx, close.turnId));
    return { isClosedHere: true, terminal, transcriptFailure, traceFailure, countFailure };
  });
};

type LockedTurn = TurnKeyRow & Pick<Selectable<TurnsTable>, 'notifies'>;

/**
 * Locks the row of a turn, so that the first close wins. Waits for a close under way. Returns undefined if the turn has
 * ended or is unknown. The lock also keeps segments from being added (src/db/turns/segment-repository.ts), so the
 * stored text matches the events that readers get.
 */
const lockRunning = (trx: Database, turnId: string): Promise<LockedTurn | undefined> =>
  trx
    .selectFrom('turns')
    .select(['turn_id', 'project_id', 'conversation_id', 'notifies'])
    .where('turn_id', '=', turnId)
    .where('status', '=', 'running')
    .forNoKeyUpdate()
    .executeTakeFirst();

const loadTerminal = async (db: Database, turnId: string): Promise<StoredTerminal> => {
  const row = await db
    .selectFrom('turns')
    .select(['terminal_id', 'terminal_after', 'terminal'])
    .where('turn_id', '=', turnId)
    .executeTakeFirst();
  const terminal = row && toTerminal(row);
  if (!terminal) throw new UnknownTurnError(turnId);
  return terminal;
};

const terminalEvent = (terminal: WorkflowClose['terminal'], fullContent: string): TerminalEvent =>
  terminal.type === 'error'
    ? { type: 'error', code: terminal.code, message: terminal.message }
    : { ...terminal, fullContent };

const unappliedField = (unapplied: readonly AcceptedSteer[]): Pick<TerminalEvent, 'unapplied'> =>
  unapplied.length === 0 ? {} : { unapplied: unapplied.map(({ messageId }) => messageId) };

const storeEnd = async (
  trx: Database,
  close: WorkflowClose,
  { id, after, event }: StoredTerminal,
  content: string,
): Promise<void> => {
  await trx
    .updateTable('turns')
    .set(({ fn }) => ({
      ...turnOutcomeOf(event),
      terminal_id: id,
      terminal_after: after,
      terminal: JSON.stringify(event),
      usage: JSON.stringify(close.usage),
      phase: close.phase,
      cycle: close.cycle,
      waste: JSON.stringify(close.waste),
      content,
      ended_at: fn<Date>('clock_timestamp'),
    }))
    .where('turn_id', '=', close.turnId)
    .execute();
};

/** Inserts the one orion message of a turn, with the text until its end. A failed turn gets one, too. */
const storeAnswer = async (
  trx: Database,
  { notifies: _notifies, ...turn }: LockedTurn,
  { event, content, replaced }: { event: TerminalEvent; content: string; replaced: readonly ReplacedText[] },
): Promise<void> => {
  const end =
    event.type === 'done'
      ? { status: event.status, reason: event.reason }
      : { status: 'failed', code: event.code };
  const metadata = replaced.length === 0 ? end : { ...end, writeSessions: replaced };
  await trx
    .insertInto('chat_messages')
    .values({ ...turn, sender: 'orion', content: safeText(content), metadata: JSON.stringify(metadata) })
    .execute();
};
