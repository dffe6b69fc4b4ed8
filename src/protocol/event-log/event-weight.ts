/*
 * How many bytes of a payload an event takes, and how an event is made smaller. No payload of a turn may exceed its
 * limit (docs/decisions/payloads-below-two-mib.md).
 */
import { utf8Bytes } from '../../contracts/values/at-most-bytes.ts';
import type { TurnEvent } from '../../contracts/wire/turn-event.ts';

/** Number of characters that a shortened tool result keeps. */
const SHOWN_CHARACTERS = 200;
/**
 * Number of characters after which a piece ends when the text of a lost step is written again. The last piece, and one
 * before another kind of event, may be shorter.
 */
const PIECE_CHARACTERS = 4_096;

/** Returns the size of a value as JSON, in bytes of UTF-8. */
export const jsonBytes = (value: unknown): number => utf8Bytes(JSON.stringify(value));

/**
 * Estimates the bytes of JSON that an event takes in a batch, without encoding its text. The estimate is too low only
 * for a short notice, or for a chunk with many control characters, which JSON escapes.
 */
export const eventWeight = (event: TurnEvent): number =>
  event.type === 'chunk' ? 8 + 3 * event.content.length : 3 * JSON.stringify(event).length;

/** Returns the event, with its text cut if it shows a tool result, which is no part of the answer. */
export const shortenEvent = (event: TurnEvent): TurnEvent => {
  const isShown = event.type === 'tool_result' || (event.type === 'chunk' && event.notice === 'tool_result');
  if (!isShown || event.content === undefined || event.content.length <= SHOWN_CHARACTERS) return event;
  return { ...event, content: `${event.content.slice(0, SHOWN_CHARACTERS).toWellFormed()} … cut` };
};

/**
 * Returns a model call's events as fewer and smaller ones that say the same. Text comes in larger pieces. Of the events
 * with tool calls, each of which repeats all calls so far, only the last stays, because all together may take five
 * times its size.
 */
export const condenseEvents = (events: readonly TurnEvent[]): TurnEvent[] => {
  const lastCalls = events.findLast((event) => event.type === 'tool_calls');
  const list: TurnEvent[] = [];
  let piece: string[] = [];
  let size = 0;
  const endPiece = (): void => {
    if (size > 0) list.push({ type: 'chunk', content: piece.join('') });
    piece = [];
    size = 0;
  };
  for (const event of events) {
    if (event.type === 'tool_calls' && event !== lastCalls) continue;
    if (event.type === 'chunk' && event.notice === undefined) {
      piece.push(event.content);
      size += event.content.length;
      if (size >= PIECE_CHARACTERS) endPiece();
    } else {
      endPiece();
      list.push(event);
    }
  }
  endPiece();
  return list;
};
