import type { EventId } from '../../protocol/event-log/event-id.ts';
import type { EncodeFrame } from './shared-frames.ts';
import type { SseStream } from './sse-stream.ts';
import type { TurnEvents, TurnViewer } from '../ports/turns.ts';

export interface TurnStreamOptions {
  readonly turnId: string;
  /** Last event the client holds; null: none. */
  readonly after: EventId | null;
  readonly encode: EncodeFrame;
}

/**
 * Sends a turn's events to one client until the turn ends or the client leaves; the turn does not notice either.
 * A client that is slower than the turn is detached while its buffer is full and attached again, from the last
 * event it was sent, once it has caught up: its memory is bounded by the buffer and one event.
 */
export const streamTurn = (
  events: Pick<TurnEvents, 'attach'>,
  stream: SseStream,
  { turnId, after, encode }: TurnStreamOptions,
): void => {
  let last = after;
  // The hub may deliver while `attach` runs, and go on after a detach: only the current viewer counts.
  let current: TurnViewer | undefined;
  let detach: (() => void) | undefined;

  const leave = (): void => {
    current = undefined;
    detach?.();
    detach = undefined;
  };
  const attach = (): void => {
    const viewer: TurnViewer = {
      event(id, event) {
        if (viewer !== current) return;
        last = id;
        if (stream.send(encode(turnId, id, event))) return;
        leave();
        stream.whenDrained(attach);
      },
      end() {
        if (viewer === current) stream.end();
      },
    };
    current = viewer;
    const stop = events.attach(turnId, last, viewer);
    if (viewer === current) detach = stop;
    else stop();
  };
  stream.onClose(leave);
  attach();
};
