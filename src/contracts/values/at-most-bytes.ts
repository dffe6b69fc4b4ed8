import type { z } from 'zod';

/** Returns the size of a text in bytes of UTF-8, the unit in which texts are limited. */
export const utf8Bytes = (text: string): number => new TextEncoder().encode(text).byteLength;

/**
 * Returns a refinement for zod's `superRefine` that accepts texts of at most `maxBytes` bytes. Its issue has the size
 * in `params.received`, which helps the sender more than the beginning of a long text. `unit` is named in the message.
 */
export const atMostBytes =
  (maxBytes: number, unit = 'bytes of UTF-8') =>
  (text: string, context: z.RefinementCtx): void => {
    const bytes = utf8Bytes(text);
    if (bytes <= maxBytes) return;
    const message = `expected at most ${maxBytes} ${unit}`;
    context.addIssue({ code: 'custom', message, params: { received: `${bytes} bytes` } });
  };
