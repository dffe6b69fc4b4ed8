import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { KIB } from '../../contracts/values/units.ts';

/**
 * Largest number of bytes of a response that are handed to the socket at a time. The rest waits in this process.
 *
 * - A client that reads, however slow its line is, takes one piece after the other, which shows that it reads. One that
 *   does not read is cut (`ConnectionLimits`).
 * - Small frames of a stream are joined up to this size, so that thousands of them do not cost one write each.
 */
export const PIECE_BYTES = 64 * KIB;

/** Answers with a long JSON text. Resolves when the text has been handed to the network, or its client has left. */
export const sendLongJson = async (res: Response, json: string): Promise<void> => {
  const body = Buffer.from(json);
  res.type('json').set('Content-Length', String(body.length));
  await pipeline(Readable.from(piecesOf(body)), res).catch((error: unknown) => {
    if (!res.destroyed) throw error;
  });
};

const piecesOf = function* (body: Buffer): Generator<Buffer> {
  for (let from = 0; from < body.length; from += PIECE_BYTES) yield body.subarray(from, from + PIECE_BYTES);
};
