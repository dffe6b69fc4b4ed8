import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';

/**
 * Bytes of an answer that are handed to the socket at a time; the rest waits in this process.
 *
 * - A client that reads, on however slow a line, shows it piece by piece. One that does not read is cut
 *   (`ConnectionLimits`).
 * - Thousands of small frames cost their bytes, not a write each.
 */
export const PIECE_BYTES = 64 * 1024;

/** Answers with a long JSON text. Resolves when it has been read, or its client has left. */
export const sendLongJson = async (res: Response, json: string): Promise<void> => {
  const body = Buffer.from(json);
  res.type('json').set('Content-Length', String(body.length));
  await pipeline(Readable.from(piecesOf(body)), res).catch((error: unknown) => {
    if (!res.destroyed) throw error;
  });
};

const piecesOf = function* (body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length; at += PIECE_BYTES) yield body.subarray(at, at + PIECE_BYTES);
};

/**
 * Returns the offset at which a list continues after a page of `count`, which may hold less than was asked for. Returns
 * null at its end.
 */
export const nextOffsetOf = (
  { offset }: { readonly offset: number },
  count: number,
  total: number,
): number | null => (count > 0 && offset + count < total ? offset + count : null);
