import type { z } from 'zod';

/** Returns the size of a text in bytes of UTF-8, which bounds of texts count. */
export const utf8Bytes = (text: string): number => new TextEncoder().encode(text).byteLength;

/**
 * Returns a refinement for zod's `superRefine`: a text of at most `most` bytes. Its issue gives the number of bytes in
 * `params.received`: it helps the sender more than the beginning of the text.
 */
export const atMostBytes =
  (most: number, what = 'bytes of UTF-8') =>
  (text: string, context: z.RefinementCtx): void => {
    const bytes = utf8Bytes(text);
    if (bytes <= most) return;
    const message = `expected at most ${most} ${what}`;
    context.addIssue({ code: 'custom', message, params: { received: `${bytes} bytes` } });
  };
