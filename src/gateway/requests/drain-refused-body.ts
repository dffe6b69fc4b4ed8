import type { Request, Response } from 'express';
import { MIB } from '../../contracts/values/units.ts';

/** Milliseconds of silence after which a client counts as waiting for the response. */
const SILENCE_MS = 1_000;
/**
 * Milliseconds after which a client that is still sending is answered, so that a slow one does not keep its connection.
 */
const MAX_WAIT_MS = 30_000;
/**
 * Number of bytes after which the response is sent in any case. An escaped content of 10 MiB, six times as long in
 * JSON, has fewer.
 */
const MAX_BYTES = 64 * MIB;

/**
 * Resolves when a refusal can be sent so that the client gets to read it.
 *
 * Many clients send their whole body before they read. If the response closes the connection (`Connection: close`,
 * HTTP/1.0) while they still send, they lose the response (RFC 9112, section 9.6). So the rest of the body is first
 * read and dropped, within bounds. On a connection that stays open, Node itself reads the rest.
 */
export const drainRefusedBody = (req: Request, res: Response): Promise<void> => {
  if (res.shouldKeepAlive || req.readableEnded || req.destroyed || !hasBody(req)) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  let bytes = 0;
  const maxWaitTimer = setTimeout(resolve, MAX_WAIT_MS);
  const onSilence = (): void => {
    const before = bytes;
    // After a busy second of this process the timer comes before bytes that are there already. They come next.
    setImmediate(() => {
      if (bytes === before) resolve();
    });
  };
  const silenceTimer = setTimeout(onSilence, SILENCE_MS);
  const onData = (chunk: Buffer): void => {
    silenceTimer.refresh();
    bytes += chunk.length;
    if (bytes > MAX_BYTES) resolve();
  };
  req.on('data', onData).once('end', resolve).once('close', resolve).resume();
  return promise.finally(() => {
    clearTimeout(maxWaitTimer);
    clearTimeout(silenceTimer);
    req.off('data', onData).off('end', resolve).off('close', resolve);
  });
};

const hasBody = ({ headers }: Request): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
