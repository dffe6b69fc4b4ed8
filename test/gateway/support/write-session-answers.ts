import { createHash } from 'node:crypto';
import { expect } from '@jest/globals';
import { apiErrorSchema } from '../../../src/contracts/http/errors.ts';
import type { HttpResponse } from './gateway-world.ts';

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The body of a begin that is accepted. */
export const validBegin = { target_file: 'docs/big.md', operation: 'create', intent: 'a long text' };

export const NOT_FOUND = 'Session not found or expired. Please start a new write session.';

/** Returns the message with which bytes that are no text are refused. */
export const nonTextError = (where: string): string =>
  `content: expected UTF-8 text, received other bytes ${where}`;

/** Expects a refusal in the form of the contract. */
export const expectError = (
  answer: HttpResponse,
  status: number,
  code: string,
  error?: string | RegExp,
): void => {
  expect([answer.status, answer.body['code']]).toEqual([status, code]);
  if (typeof error === 'string') expect(answer.body['error']).toBe(error);
  else if (error) expect(answer.body['error']).toMatch(error);
  expect(apiErrorSchema.parse(answer.body)).toEqual(answer.body);
  expect(answer.body['requestId']).toBe(answer.headers['x-request-id']);
};
