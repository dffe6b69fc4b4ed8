import type { JsonValue } from '../contracts/values/json-value.ts';
import { parseJson } from '../contracts/values/parse-json.ts';
import { REDACTED, redactText } from './redact-text.ts';
import { MIB } from '../contracts/values/units.ts';

/** Names of fields whose value is a secret, without separators: `token`, but neither `tokenize` nor `tokenise`. */
const SECRET_FIELD =
  /passw(or)?d|passphrase|secret|apikey|privatekey|accesskey|credential|authorization|cookie|token(?!i[sz])/;
/**
 * `{ "name": "X-Api-Key", "value": "…" }`: lists of headers consist of such pairs, and so do reports of wrong
 * arguments.
 */
const PAIR_NAMES = ['name', 'key', 'field'];
const PAIR_VALUES = ['value', 'received'];
/** Largest number of levels of JSON texts within JSON texts that are read as JSON. Nobody nests deeper on purpose. */
const MAX_NESTED_TEXTS = 4;
/**
 * Largest number of characters of a text that are read and kept. It is four times `DETAILS_BYTES`, the size of all
 * details of a trace (src/trace/prepare-trace.ts).
 */
const MAX_READ_CHARACTERS = MIB;

/**
 * Returns a copy without secrets (docs/storage.md "Traces"): values of fields with a secret's name, `{ name, value }`
 * pairs of that kind, and what `redactText` finds in texts. A text that is JSON, as tool arguments are, is read as
 * JSON.
 */
export const redact = (value: JsonValue): JsonValue => redactValue(value, MAX_NESTED_TEXTS);

const redactValue = (value: JsonValue, nestedTexts: number): JsonValue => {
  if (typeof value === 'string') return redactString(value, nestedTexts);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => redactValue(item, nestedTexts));
  const secretFields = PAIR_VALUES.filter((name) => namesSecret(value, name));
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      redactText(name),
      isSecretField(name, field) || secretFields.includes(name) ? REDACTED : redactValue(field, nestedTexts),
    ]),
  );
};

const namesSecret = (pair: { [key: string]: JsonValue }, valueField: string): boolean => {
  const value = pair[valueField];
  if (value === undefined) return false;
  return PAIR_NAMES.some((nameField) => {
    const name = pair[nameField];
    return typeof name === 'string' && isSecretField(name, value);
  });
};

/**
 * Reports whether a field of this name holds a secret. A number or boolean under a `token` name is a count or a switch,
 * not a secret.
 */
const isSecretField = (name: string, value: JsonValue): boolean => {
  const match = SECRET_FIELD.exec(name.replaceAll(/[^a-z0-9]/gi, '').toLowerCase());
  if (!match || value === null) return false;
  return match[0] !== 'token' || !(typeof value === 'number' || typeof value === 'boolean');
};

const redactString = (whole: string, nestedTexts: number): string => {
  const text =
    whole.length > MAX_READ_CHARACTERS ? whole.slice(0, MAX_READ_CHARACTERS).toWellFormed() : whole;
  const json = nestedTexts > 0 ? parseContainer(text) : undefined;
  if (json === undefined) return redactText(text);
  const redacted = redactValue(json, nestedTexts - 1);
  // JSON that holds no secret keeps its own spacing.
  return JSON.stringify(redacted) === JSON.stringify(json) ? text : JSON.stringify(redacted);
};

const parseContainer = (text: string): JsonValue | undefined =>
  /^\s*[[{"]/.test(text) ? (parseJson(text) as JsonValue | undefined) : undefined;
