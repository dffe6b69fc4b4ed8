import type { Request } from 'express';
import { compareEventIds, parseEventId, type EventId } from '../../contracts/wire/event-id.ts';
import type { TurnView } from '../ports/turn-views.ts';
import { describeValue, validationError } from './validation.ts';

/**
 * Returns the id of the last event that the client holds, or null if it holds none. The id is in the header
 * `Last-Event-ID` or in `?after=`. The header wins: EventSource repeats the address of its first connection, whose
 * `after` is old by then. Throws `validation_failed` for what is no event id.
 */
export const readResumePoint = (req: Request): EventId | null => {
  const header = req.get('Last-Event-ID');
  if (header) return parsePoint('Last-Event-ID', header);
  const { after } = req.query;
  return after === undefined || after === '' ? null : parsePoint('after', after);
};

const parsePoint = (field: string, value: unknown): EventId => {
  const id = typeof value === 'string' ? parseEventId(value) : undefined;
  if (id) return id;
  throw validationError([{ field, expected: 'an event id <epoch>-<seq>', received: describeValue(value) }]);
};

/** Reports whether the client holds the last event of an ended turn, so there is nothing to stream. */
export const isDelivered = (turn: TurnView | undefined, after: EventId | null): boolean => {
  const last = turn?.terminal ? parseEventId(turn.terminal.id) : undefined;
  return after !== null && last !== undefined && compareEventIds(after, last) >= 0;
};
