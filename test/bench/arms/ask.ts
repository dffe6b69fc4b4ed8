import { createParser } from 'eventsource-parser';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Arm } from './arm.ts';

export interface TextPiece {
  readonly text: string;
  /** The value of `performance.now()` when the bytes of this text had arrived, before they were parsed. */
  readonly at: number;
}

export interface Answer {
  readonly id: string;
  /** The value of `performance.now()` just before the request was sent. */
  readonly askedAt: number;
  readonly pieces: readonly TextPiece[];
}

/** Thrown when the status of the answer is not 200. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly status: number;
  /** The milliseconds from the request until the answer was complete. */
  readonly after: number;

  constructor(arm: Arm, status: number, body: string, after: number) {
    super(`${arm.name}: expected 200, received ${status}: ${body}`);
    this.status = status;
    this.after = after;
  }
}

/**
 * Asks one question and reads the answer to its end. Throws a `RefusedError` when the question is refused, and another
 * error when the answer is cut off, empty or aborted.
 */
export const ask = async (arm: Arm, content: string, signal?: AbortSignal): Promise<Answer> => {
  const id = randomUUID();
  const body = JSON.stringify(arm.body(id, content));
  const headers = {
    ...arm.headers,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  };
  const askedAt = performance.now();
  const sent = request(arm.url, { method: 'POST', headers, ...(signal && { signal }) }).end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) {
    throw new RefusedError(arm, response.statusCode ?? 0, await text(response), performance.now() - askedAt);
  }
  const pieces = await readPieces(arm, response);
  if (pieces.length === 0) throw new Error(`${arm.name}: expected text, received none`);
  return { id, askedAt, pieces };
};

/**
 * Reads an answer to its end. Its bytes are parsed only after that, so that a figure does not measure the parsing of a
 * client that reads 300 answers at once.
 */
const readPieces = async (arm: Arm, response: IncomingMessage): Promise<TextPiece[]> => {
  const received: TextPiece[] = [];
  response.setEncoding('utf8');
  response.on('data', (piece: string) => received.push({ text: piece, at: performance.now() }));
  await once(response, 'end');
  const pieces: TextPiece[] = [];
  let at = 0;
  const parser = createParser({
    onEvent: ({ data }) => {
      const piece = arm.textOf(data);
      if (piece !== '') pieces.push({ text: piece, at });
    },
  });
  for (const piece of received) {
    at = piece.at;
    parser.feed(piece.text);
  }
  return pieces;
};
