import { z } from 'zod';

/**
 * Syntax of the ids that clients choose for turns, projects, conversations and messages (docs/turns.md "Starting a
 * turn"): 1–128 of A–Z a–z 0–9 `.` `_` `:` `-`, and neither `.` nor `..`, because ids become parts of paths and of
 * workflow ids.
 */
export const idSchema = z
  .string()
  .regex(/^[A-Za-z0-9._:-]{1,128}$/, 'expected 1-128 characters of A-Z a-z 0-9 . _ : -')
  .refine((id) => id !== '.' && id !== '..', 'expected an id other than "." and ".."');

/** The key of a conversation, whose id is unique only within its project. */
export interface ConversationKey {
  readonly projectId: string;
  readonly conversationId: string;
}
