import { isUtf8 } from 'node:buffer';
import express, { type Request, type RequestHandler } from 'express';
import { QUOTE, BACKSLASH, OPENING_BRACKETS, CLOSING_BRACKETS } from '../../base/text/ascii.ts';
import { ApiError } from '../errors/api-error.ts';
import { describeValue, validationError } from './validation.ts';
import { MIB } from '../../contracts/values/units.ts';

/**
 * Largest size in bytes of a JSON body. It is more than six times the longest content of a message, since JSON may
 * write one byte as `\u00XX`.
 */
const MAX_BODY_BYTES = 2 * MIB;
const JSON_TYPES = ['application/json', 'application/*+json'];

/**
 * Refuses a body whose content type is not JSON. A form on a foreign page can post only three content types without a
 * CORS preflight, and JSON is none of them (CSRF).
 */
export const requireJson: RequestHandler = (req, _res, next) => {
  const { 'content-length': length, 'content-type': type } = req.headers;
  const isEmpty = type === undefined && length === '0';
  if (isEmpty || req.is(JSON_TYPES) !== false) return next();
  next(unsupportedTypeError(req, 'application/json', 'Expected the content type application/json.'));
};

/** Returns the refusal (415) of a body that does not have the content type `expected`, or is encoded otherwise. */
export const unsupportedTypeError = ({ headers }: Request, expected: string, message: string): ApiError => {
  const { 'content-type': type = '', 'content-encoding': encoding } = headers;
  const received = describeValue(
    (encoding === undefined ? type : `${type} encoded as ${encoding}`) || undefined,
  );
  return new ApiError('unsupported_media_type', message, {
    details: [{ field: 'content-type', expected, received }],
  });
};

/**
 * Largest number of levels of arrays and objects in a body. No accepted body nests even a quarter as deep. Parsing
 * 250,000 levels would block the event loop for 5 ms.
 */
const MAX_LEVELS = 100;

/**
 * Reports whether arrays and objects nest deeper than `maxDepth` levels. `text` need not be JSON, and brackets in
 * strings do not count.
 */
const nestsDeeper = (text: Uint8Array, maxDepth: number): boolean => {
  let depth = 0;
  let isInString = false;
  for (let index = 0; index < text.length; index += 1) {
    const byte = text[index] as number;
    if (isInString && byte === BACKSLASH) index += 1;
    else if (byte === QUOTE) isInString = !isInString;
    else if (isInString) continue;
    else if (OPENING_BRACKETS.has(byte)) depth += 1;
    else if (CLOSING_BRACKETS.has(byte)) depth -= 1;
    if (depth > maxDepth) return true;
  }
  return false;
};

/** Throws `validation_failed` for a body that nests too deep. */
const requireShallow = (text: Uint8Array): void => {
  if (!nestsDeeper(text, MAX_LEVELS)) return;
  throw validationError([
    { field: 'body', expected: `at most ${MAX_LEVELS} levels of arrays and objects`, received: 'more' },
  ]);
};

/**
 * Throws `validation_failed` for a body that is not the UTF-8 that it should be (RFC 8259, section 8.1), because the
 * parser would replace such bytes and so change the text.
 */
const requireUtf8 = (text: Uint8Array, charset: string): void => {
  if (charset !== 'utf-8' || isUtf8(text)) return;
  throw validationError([{ field: 'body', expected: 'JSON in UTF-8', received: 'bytes that are not UTF-8' }]);
};

/**
 * Middleware that reads a JSON body into `req.body`, which stays undefined when there is no body. It takes any JSON
 * value: the schema of the route says what it expects instead of one that is not an object.
 */
export const jsonBody: readonly RequestHandler[] = [
  requireJson,
  express.json({
    limit: MAX_BODY_BYTES,
    type: JSON_TYPES,
    strict: false,
    verify: (_req, _res, body, charset) => {
      requireShallow(body);
      requireUtf8(body, charset);
    },
  }),
];
