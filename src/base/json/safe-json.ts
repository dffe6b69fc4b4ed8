import type { JsonValue } from '../../contracts/values/json-value.ts';
import { safeText } from '../../contracts/values/safe-text.ts';

/** An array or object that lies inside at least this many others is not copied. */
const MAX_DEPTH = 64;
/**
 * Largest number of values that are copied into one JSON text, because each takes time of the event loop. A text says
 * how many others were left out.
 */
const MAX_VALUES = 50_000;

/** The number of values that may still be copied. */
interface CopyBudget {
  values: number;
}

/**
 * Returns any value as JSON that UTF-8 and Postgres can hold (docs/tools.md).
 *
 * - NUL and lone surrogates are replaced, and binary data is represented by its size.
 * - Cycles, nesting deeper than `MAX_DEPTH` and values beyond `MAX_VALUES` are replaced by a text that says so.
 * - Otherwise it does what `JSON.stringify` does, so `toJSON` is called, undefined fields vanish, and NaN becomes null.
 *   Unlike there, a bigint becomes a text, undefined itself becomes null, and objects such as `new String('a')` are not
 *   unwrapped.
 */
export const toSafeJson = (value: unknown): JsonValue => convert(value, [], { values: MAX_VALUES }) ?? null;

const convert = (value: unknown, above: readonly object[], budget: CopyBudget): JsonValue | undefined => {
  budget.values -= 1;
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
      return value === null ? null : convertObject(value, above, budget);
    case 'undefined':
    case 'function':
    case 'symbol':
    default:
      return undefined;
  }
};

const convertObject = (
  value: object,
  above: readonly object[],
  budget: CopyBudget,
): JsonValue | undefined => {
  if (ArrayBuffer.isView(value)) return `<binary data, ${value.byteLength} bytes>`;
  if (above.includes(value)) return '<circular>';
  if (above.length >= MAX_DEPTH) return '<nested too deeply>';
  const inner = [...above, value];
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    const replaced: unknown = value.toJSON();
    return replaced === value ? convertFields(value, inner, budget) : convert(replaced, inner, budget);
  }
  return Array.isArray(value) ? convertItems(value, inner, budget) : convertFields(value, inner, budget);
};

const convertItems = (value: readonly unknown[], inner: readonly object[], budget: CopyBudget): JsonValue => {
  const items: JsonValue[] = [];
  for (const item of value) {
    if (budget.values <= 0) return [...items, valuesLeftOutText(value.length - items.length)];
    items.push(convert(item, inner, budget) ?? null);
  }
  return items;
};

const valuesLeftOutText = (values: number): string => `<${values} more values>`;

const convertFields = (value: object, inner: readonly object[], budget: CopyBudget): JsonValue => {
  const fields: [string, JsonValue][] = [];
  const keys = Object.keys(value);
  for (const [index, key] of keys.entries()) {
    if (budget.values <= 0) {
      fields.push(['…', valuesLeftOutText(keys.length - index)]);
      break;
    }
    const converted = convert(Reflect.get(value, key), inner, budget);
    if (converted !== undefined) fields.push([safeText(key), converted]);
  }
  // `fromEntries` defines fields and sets none, so that a key `__proto__` becomes an ordinary field.
  return Object.fromEntries(fields);
};

/**
 * Returns a JSON value in which `safeText` was applied to every string and key. A column of type `jsonb` refuses the
 * same characters as one of type `text`.
 */
export const withSafeTexts = <T>(value: T): T => replaceTexts(value) as T;

const replaceTexts = (value: unknown): unknown => {
  if (typeof value === 'string') return safeText(value);
  if (Array.isArray(value)) return value.map(replaceTexts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [safeText(key), replaceTexts(inner)]),
  );
};
