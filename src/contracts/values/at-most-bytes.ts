import type { z } from 'zod';

/** Size of a text in bytes of UTF-8, which is what bounds of texts count. */
export const utf8Bytes = (text: string): number => new TextEncoder().encode(text).byteLength;

/**
 * A refinement for zod's `superRefine`: a text of at most `most` bytes. Its issue says in `params.received` how many
 * there are, which is what whoever sent them wants to know, rather than how they begin.
 */
export const atMostBytes =
  (most: number, what = 'bytes of UTF-8') =>
  (text: string, context: z.RefinementCtx): void => {
    const bytes = utf8Bytes(text);
    if (bytes <= most) return;
    const message = `expected at most ${most} ${what}`;
    context.addIssue({ code: 'custom', message, params: { received: `${bytes} bytes` } });
  };
