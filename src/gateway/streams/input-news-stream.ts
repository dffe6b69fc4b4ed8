import type { Request, Response } from 'express';
import type { InputNewsFrame } from '../../contracts/http/input-api.ts';
import { clientOf, isVisible } from '../access/access.ts';
import type { GatewayDeps } from '../deps/gateway-deps.ts';
import { openSseStream } from './sse-stream.ts';
import { UnsentBytesByClient } from './unsent-bytes.ts';

/** Answers with a stream that says when the list of input requests has changed. */
export type StreamInputNews = (req: Request, res: Response) => void;

const CHANGED: InputNewsFrame = { type: 'inputs_changed' };
const FRAME = Buffer.from(`data: ${JSON.stringify(CHANGED)}\n\n`);
/**
 * Shortest time, in milliseconds, between two frames. Many requests that open at once then cause one look at the list,
 * and a client that does not read gets few frames.
 */
const REST_MS = 500;

/**
 * Creates the function that streams news of input requests, of which Postgres notifies this gateway
 * (docs/decisions/input-news.md).
 */
export const createInputNewsStream = ({
  inputNews,
  clock,
  closing,
}: Pick<GatewayDeps, 'inputNews' | 'clock' | 'closing'>): StreamInputNews => {
  const unsentBytes = new UnsentBytesByClient();
  return (req, res) => {
    if (req.method === 'HEAD') {
      res.end();
      return;
    }
    const stream = openSseStream(res, { clock, closing, unsent: unsentBytes.open(clientOf(req)) });
    let isPaused = false;
    let isDue = false;
    const endPause = (): void => {
      isPaused = false;
      if (isDue) send();
    };
    const send = (): void => {
      isDue = isPaused;
      if (isPaused) return;
      isPaused = true;
      if (stream.send(FRAME)) clock.after(REST_MS, endPause);
      else stream.whenDrained(endPause);
    };
    const unsubscribe = inputNews.subscribe((projectId) => {
      // Without a project, the requests of any project may have changed.
      if (projectId === undefined || isVisible(req, projectId)) send();
    });
    stream.onClose(unsubscribe);
  };
};
