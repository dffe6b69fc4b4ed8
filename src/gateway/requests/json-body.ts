import express, { type RequestHandler } from 'express';
import { ApiError } from '../errors/api-error.ts';

/** Above six times the longest content, since JSON may write a byte as `\u00XX`. */
const MAX_BODY_BYTES = 2 * 1024 * 1024;
const JSON_TYPES = ['application/json', 'application/*+json'];

/** A form of a foreign page can post three content types without asking first, and JSON is none of them (CSRF). */
export const requireJson: RequestHandler = (req, _res, next) => {
  const { 'content-length': length, 'content-type': type } = req.headers;
  const empty = type === undefined && length === '0';
  if (empty || req.is(JSON_TYPES) !== false) return next();
  next(new ApiError('unsupported_media_type', 'Expected the content type application/json.'));
};

/** Reads JSON bodies into `req.body`; undefined when there is none. */
export const jsonBody: readonly RequestHandler[] = [
  requireJson,
  express.json({ limit: MAX_BODY_BYTES, type: JSON_TYPES }),
];
