import type { StreamFormat } from '../../contracts/http/turns.ts';
import type { Request, Response } from 'express';
import { clientOf } from '../access/access.ts';
import { createCompatibleEncoder, createNativeEncoder } from './dialects.ts';
import type { GatewayDeps } from '../gateway-deps.ts';
import { shareFrames, type EncodeFrame } from './shared-frames.ts';
import { openSseStream } from './sse-stream.ts';
import { WaitingBytes } from './waiting-bytes.ts';
import { streamTurn, type TurnStreamOptions } from './turn-stream.ts';

export interface StreamRequest extends Pick<TurnStreamOptions, 'turnId' | 'after'> {
  readonly dialect: StreamFormat;
  /** Called once, when the first text of the turn is handed to the stream. */
  readonly onFirstText?: () => void;
}

/** Answers with the events of a turn. The caller has made sure that the turn exists. */
export type StreamAnswer = (req: Request, res: Response, request: StreamRequest) => void;

export const createStreamAnswer = ({
  events,
  clock,
  metrics,
  closing,
}: Pick<GatewayDeps, 'events' | 'clock' | 'metrics' | 'closing'>): StreamAnswer => {
  const encoders = {
    native: shareFrames(createNativeEncoder),
    compatible: shareFrames(createCompatibleEncoder),
  };
  const waiting = new WaitingBytes();
  return (req, res, { turnId, after, dialect, onFirstText }) => {
    // Left while the turn was being started: it goes on without this viewer.
    if (res.destroyed || req.socket.destroyed) return;
    res.setHeader('X-Turn-Id', turnId);
    if (req.method === 'HEAD') {
      res.end();
      return;
    }
    const stream = openSseStream(res, { clock, closing, account: waiting.open(clientOf(req)) });
    stream.onClose(metrics.streamOpened());
    const encode = onFirstText ? announceText(encoders[dialect], onFirstText) : encoders[dialect];
    streamTurn(events, stream, { turnId, after, encode });
  };
};

const announceText = (encode: EncodeFrame, onFirstText: () => void): EncodeFrame => {
  let isAnnounced = false;
  return (turnId, id, event) => {
    if (!isAnnounced && event.type === 'chunk') {
      isAnnounced = true;
      onFirstText();
    }
    return encode(turnId, id, event);
  };
};
