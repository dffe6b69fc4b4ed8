import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import { formatEventId, parseEventId } from '../../contracts/wire/event-id.ts';
import type { LoggedEvent } from '../../protocol/event-log/event-log.ts';
import type { StoredTerminal, TurnRow } from './turn-row.ts';

/**
 * Returns the event list of a turn whose segments are pruned: a reset, for a client that comes back with an old id, the
 * text of the row in one piece, and the terminal event under its own id. The reset and the text have the epoch before
 * that of the terminal event. Normally no writer has used this epoch: only attempt `MAX_STEP_ATTEMPTS` of a call could.
 */
export const eventsWithoutSegments = (
  { content }: Pick<TurnRow, 'content'>,
  { id, event }: StoredTerminal,
): LoggedEvent[] => {
  const terminalId = parseEventId(id);
  if (!terminalId) throw new Error(`Terminal event id "${id}" is not <epoch>-<seq>.`);
  // The turn ended before its first model call, so it said nothing.
  if (terminalId.epoch === 0) return [{ id: terminalId, after: null, event }];
  const text = event.type === 'done' ? event.fullContent : (content ?? '');
  const before: TurnEvent[] = [
    { type: 'reset', fromSeq: 1 },
    ...(text === '' ? [] : [{ type: 'chunk' as const, content: text }]),
  ];
  const epoch = terminalId.epoch - 1;
  const list: LoggedEvent[] = before.map((one, i) => ({
    id: { epoch, seq: terminalId.seq - before.length + i },
    ...(i === 0 && { after: null }),
    event: one,
  }));
  const last = { epoch, seq: terminalId.seq - 1 };
  return [...list, { id: terminalId, after: formatEventId(last), event }];
};
