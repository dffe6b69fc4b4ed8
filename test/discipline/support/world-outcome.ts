import { posix } from 'node:path';
import type { Json } from './trace.ts';

/** The outcome of one execution in a trace's world. */
export interface Outcome {
  readonly ok: boolean;
  readonly retryable: boolean;
  readonly content: string;
}

export const good = (content: Json): Outcome => ({
  ok: true,
  retryable: false,
  content: typeof content === 'string' ? content : JSON.stringify(content),
});

export const bad = (error: string, retryable = false): Outcome => ({ ok: false, retryable, content: error });

export const foldPath = (path: Json | undefined): string =>
  posix.normalize(String(path).replaceAll('\\', '/')).replace(/\/+$/, '') || '.';
