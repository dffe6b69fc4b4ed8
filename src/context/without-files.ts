import { replacedTextSchema } from '../contracts/write-session.ts';
import { withLines } from '../write-session/replaced-text.ts';

/** A reply as it is stored. Only a turn's own reply has a `turnId`; metadata of a note is whatever a client sent. */
export interface StoredReply {
  readonly content: string;
  readonly turnId?: string | null;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/**
 * The text of a reply for later prompts: where it was a file, a line says so (docs/write-sessions.md "In a turn"). The
 * stored message keeps the whole text.
 */
export const withoutFiles = ({ content, turnId, metadata }: StoredReply): string => {
  if (turnId === undefined || turnId === null) return content;
  const replaced = replacedTextSchema.array().safeParse(metadata?.['writeSessions']);
  return replaced.success ? withLines(content, replaced.data) : content;
};
