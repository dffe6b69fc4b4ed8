import type { Request, Response } from 'express';
import type { StreamFormat } from '../../contracts/http/turn-api.ts';
import type { EventId } from '../../contracts/wire/event-id.ts';
import { clientOf } from '../access/access.ts';
import type { GatewayDeps } from '../deps/gateway-deps.ts';
import type { LiveTurns, TurnViewer } from '../ports/live-turns.ts';
import { shareFrames, type EncodeFrame } from './shared-frames.ts';
import { openSseStream, type SseStream } from './sse-stream.ts';
import { createCompatibleEncoder, createNativeEncoder } from './turn-encoders.ts';
import { UnsentBytesByClient } from './unsent-bytes.ts';

/** A request for a stream: which turn, after which event, and in which format. */
export interface StreamRequest {
  readonly turnId: string;
  /** Id of the last event that the client holds. Null if it holds none. */
  readonly after: EventId | null;
  readonly format: StreamFormat;
  /** Called at most once, when the first text is about to be sent on this stream. */
  readonly onFirstText?: () => void;
}

/** Answers with the events of a turn. The caller has made sure that the turn exists and that the client may see it. */
export type SendTurnStream = (req: Request, res: Response, request: StreamRequest) => void;

/**
 * Creates the function that answers with streams. All routes share one, so that an event is encoded once for all
 * viewers of its turn.
 */
export const createSendTurnStream = ({
  watchedTurns,
  clock,
  metrics,
  closing,
}: Pick<GatewayDeps, 'watchedTurns' | 'clock' | 'metrics' | 'closing'>): SendTurnStream => {
  const encoders = {
    native: shareFrames(createNativeEncoder),
    compatible: shareFrames(createCompatibleEncoder),
  };
  const unsentBytes = new UnsentBytesByClient();
  return (req, res, request) => {
    const { turnId, format, onFirstText } = request;
    // The client has left meanwhile. A turn that it has started continues.
    if (res.destroyed || req.socket.destroyed) return;
    res.setHeader('X-Turn-Id', turnId);
    if (req.method === 'HEAD') {
      res.end();
      return;
    }
    const stream = openSseStream(res, { clock, closing, unsent: unsentBytes.open(clientOf(req)) });
    stream.onClose(metrics.streamOpened());
    const encode = onFirstText ? reportFirstText(encoders[format], onFirstText) : encoders[format];
    streamToClient(watchedTurns, stream, request, encode);
  };
};

const reportFirstText = (encode: EncodeFrame, onFirstText: () => void): EncodeFrame => {
  let isReported = false;
  return (turnId, id, event) => {
    if (!isReported && event.type === 'chunk') {
      isReported = true;
      onFirstText();
    }
    return encode(turnId, id, event);
  };
};

/**
 * Sends a turn's events to one client until the turn ends, the gateway closes, or the client leaves, which does not
 * affect the turn. A client that reads more slowly than the turn writes is detached while its buffer is full. Once the
 * buffer is empty, it is attached again after the last event that was sent. So a slow client costs no more memory than
 * the buffer and one event.
 */
const streamToClient = (
  watchedTurns: Pick<LiveTurns, 'attach'>,
  stream: SseStream,
  { turnId, after }: StreamRequest,
  encode: EncodeFrame,
): void => {
  let lastId = after;
  // The hub may deliver while `attach` runs, and go on after a detach. Only the current viewer counts.
  let current: TurnViewer | undefined;
  let detach: (() => void) | undefined;

  const leave = (): void => {
    current = undefined;
    detach?.();
    detach = undefined;
  };
  const attach = (): void => {
    const send = (frame: Buffer): void => {
      if (stream.send(frame)) return;
      leave();
      stream.whenDrained(attach);
    };
    const viewer: TurnViewer = {
      event(id, event) {
        if (viewer !== current) return;
        lastId = id;
        send(encode(turnId, id, event));
      },
      output: (output) => void (viewer === current && send(encode(turnId, null, output))),
      end: () => void (viewer === current && stream.end()),
    };
    current = viewer;
    const stop = watchedTurns.attach(turnId, lastId, viewer);
    if (viewer === current) detach = stop;
    else stop();
  };
  stream.onClose(leave);
  attach();
};
