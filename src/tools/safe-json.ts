import { safeText } from '../contracts/safe-text.ts';

/** A value of `z.json()`. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

const MAX_DEPTH = 64;

/**
 * Any value as JSON that UTF-8 and Postgres can hold (tools.md "Tool runner"): NUL and lone surrogates replaced,
 * binary data named by its size only, cycles and extreme nesting cut. Follows `JSON.stringify` otherwise:
 * undefined fields vanish, NaN becomes null, `toJSON` is asked.
 */
export const toSafeJson = (value: unknown): Json => convert(value, []) ?? null;

const convert = (value: unknown, above: readonly object[]): Json | undefined => {
  switch (typeof value) {
    case 'string':
      return safeText(value);
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : null;
    case 'bigint':
      return value.toString();
    case 'object':
      return value === null ? null : convertObject(value, above);
    case 'undefined':
    case 'function':
    case 'symbol':
    default:
      return undefined;
  }
};

const convertObject = (value: object, above: readonly object[]): Json | undefined => {
  if (ArrayBuffer.isView(value)) return `<binary data, ${value.byteLength} bytes>`;
  if (above.includes(value)) return '<circular>';
  if (above.length >= MAX_DEPTH) return '<nested too deeply>';
  const inner = [...above, value];
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    const replaced: unknown = value.toJSON();
    return convert(replaced === value ? { ...value } : replaced, inner);
  }
  if (Array.isArray(value)) return value.map((item) => convert(item, inner) ?? null);
  return convertFields(value, inner);
};

const convertFields = (value: object, inner: readonly object[]): Json => {
  const fields: [string, Json][] = [];
  for (const [key, field] of Object.entries(value)) {
    const converted = convert(field, inner);
    if (converted !== undefined) fields.push([safeText(key), converted]);
  }
  // fromEntries defines keys, so that one named __proto__ stays an ordinary field.
  return Object.fromEntries(fields);
};
