import type { Request, RequestHandler } from 'express';
import { ApiError } from '../errors/api-error.ts';
import { requireJson } from '../requests/json-body.ts';

/** A client that sends on after a refusal is listened to this long: many read the answer only afterwards. */
const DRAIN_MS = 30_000;
const RAW_TYPES = ['text/plain', 'application/octet-stream'];

/**
 * The body as it comes in, chunk by chunk. Left early it stays open: destroying it would close the connection on
 * which the refusal is to be answered. Throws ApiError when the client goes away in the middle.
 */
export async function* readBody(req: Request): AsyncGenerator<Uint8Array> {
  try {
    yield* req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  } catch (cause) {
    throw new ApiError('validation_failed', 'The request ended before its body was complete.', { cause });
  }
}

/** Lets what is left of a refused body run into the void, so that the client gets to read the answer. */
export const drainBody = (req: Request): void => {
  if (req.readableEnded || req.destroyed) return;
  const giveUp = setTimeout(() => req.destroy(), DRAIN_MS).unref();
  req.once('close', () => clearTimeout(giveUp)).resume();
};

const refuse = (expected: string): ApiError =>
  new ApiError('unsupported_media_type', `Expected ${expected}, in UTF-8 and not compressed.`);

/** The body is taken byte by byte: nothing here converts or unpacks it. */
const isPlainUtf8 = ({ headers }: Request): boolean => {
  const { 'content-encoding': encoding = 'identity', 'content-type': type = '' } = headers;
  const charset = /;\s*charset="?([^\s;"]+)/i.exec(type)?.[1] ?? 'utf-8';
  return encoding === 'identity' && /^(utf-?8|us-ascii)$/i.test(charset);
};

/** For a JSON body that a route reads itself. */
export const requireJsonStream: RequestHandler = (req, res, next) => {
  if (isPlainUtf8(req)) requireJson(req, res, next);
  else next(refuse('the content type application/json'));
};

/** For text as the body itself. Without a type, as `curl -T` sends it, it is bytes. Throws ApiError. */
export const requireRaw = (req: Request): void => {
  const known = req.headers['content-type'] === undefined || req.is(RAW_TYPES) !== false;
  if (!known || !isPlainUtf8(req)) throw refuse(`the content type ${RAW_TYPES.join(' or ')}`);
};
