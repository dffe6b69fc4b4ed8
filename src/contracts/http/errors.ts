import { z } from 'zod';
import { jsonValueSchema } from '../values/json-value.ts';

/** Codes of error responses (docs/http-api.md). */
export const apiErrorCodeSchema = z.enum([
  'validation_failed',
  'unauthorized',
  'forbidden',
  'forbidden_host',
  'forbidden_origin',
  'not_found',
  'turn_not_found',
  'session_not_found',
  'input_not_found',
  'turn_in_progress',
  'turn_ended',
  'idempotency_conflict',
  'session_conflict',
  'draft_offset',
  'approval_required',
  'input_closed',
  'input_changed',
  'request_timeout',
  'payload_too_large',
  'content_too_large',
  'unsupported_media_type',
  'storage_quota_exceeded',
  'storage_full',
  'budget_exceeded',
  'rate_limited',
  'too_many_streams',
  'too_many_messages',
  'two_stage_disabled',
  'temporal_unavailable',
  'database_unavailable',
  'overloaded',
  'internal_error',
  'write_failed',
]);
export type ApiErrorCode = z.infer<typeof apiErrorCodeSchema>;

/** One wrong field of a request, with what was expected there and what was received instead, in words for people. */
export interface ValidationDetail {
  readonly field: string;
  readonly expected: string;
  readonly received: string;
}

/**
 * Body of every error response. `details` is a list of fields for `validation_failed`, otherwise what the client needs
 * to continue.
 */
export const apiErrorSchema = z.object({
  error: z.string().describe('What went wrong, as a sentence for people.'),
  code: apiErrorCodeSchema.describe('What went wrong, as a code for programs.'),
  details: jsonValueSchema
    .optional()
    .describe(
      'A list of `{ field, expected, received }` for `validation_failed`. For other codes, what the client needs to continue.',
    ),
  requestId: z.string().describe('Id of this HTTP request, as the log of the gateway has it.'),
});
export type ApiErrorBody = z.infer<typeof apiErrorSchema>;
