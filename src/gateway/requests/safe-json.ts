import { safeText } from '../../contracts/safe-text.ts';

/** `safeText` for every string in a JSON value, keys included: `jsonb` refuses what `text` refuses. */
export const safeJson = <T>(value: T): T => replaceTexts(value) as T;

const replaceTexts = (value: unknown): unknown => {
  if (typeof value === 'string') return safeText(value);
  if (Array.isArray(value)) return value.map(replaceTexts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [safeText(key), replaceTexts(inner)]),
  );
};
