import type { z } from 'zod';

/** Returns the size of a text in bytes of UTF-8, the unit in which texts are limited. */
export const utf8Bytes = (text: string): number => new TextEncoder().encode(text).byteLength;

/**
 * Returns a refinement for zod's `superRefine` that accepts texts of at most `most` bytes. Its issue has the size in
 * `params.received`, which helps the sender more than the beginning of a long text. `what` is the unit for the message.
 */
export const atMostBytes =
  (most: number, what = 'bytes of UTF-8') =>
  (text: string, context: z.RefinementCtx): void => {
    const bytes = utf8Bytes(text);
    if (bytes <= most) return;
    const message = `expected at most ${most} ${what}`;
    context.addIssue({ code: 'custom', message, params: { received: `${bytes} bytes` } });
  };
