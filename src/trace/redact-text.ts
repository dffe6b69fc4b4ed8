import { KEY_SHAPES } from '../base/text/key-shapes.ts';

/** The text in traces and logs in place of a secret. */
export const REDACTED = '[redacted]';

/**
 * Values that are secrets whatever their name: keys and tokens of the shapes that providers use, bearer tokens, PEM
 * blocks (up to the end of the text if a block is cut), passwords in URLs. The text may be hostile, and a search in
 * quadratic time would block the worker. Each pattern therefore begins with a fixed text, and its repetitions have
 * bounds or consume what they have searched.
 */
const SECRET_VALUES: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/-----BEGIN [A-Z0-9 ]{1,40}-----[\s\S]*?(?:-----END [A-Z0-9 ]{1,40}-----|$)/g, REDACTED],
  [/\bBearer[\s:]{1,8}[\w.~+/=-]{3,}/gi, `Bearer ${REDACTED}`],
  ...KEY_SHAPES.map((shape) => [shape, REDACTED] as const),
  [/(:\/\/[^\s/:@"'<>]{0,256}:)[^\s/@"'<>]{1,256}(?=@)/g, `$1${REDACTED}`],
];

/** Names of secrets, as in `SECRET_FIELD` of src/trace/redact.ts, but with separators. */
const NAME = String.raw`(?:passw(?:or)?d|passphrase|secret|api[-_ ]?key|private[-_]?key|access[-_]?key|credential|authorization|cookie|token(?!i[sz]))`;
/**
 * Matches what is between a secret's name and its value: the rest of the name, its closing quote, and the sign that
 * leads to the value. Quotes may be escaped, once or more often.
 */
const TO_VALUE = String.raw`[\w.-]{0,40}(?:\\{0,7}["'])?\s{0,8}(?:=>|[:=])\s{0,8}`;

/** `password: "…"`: the value ends at the same quote, or at the end of a text that was cut. */
const QUOTED = new RegExp(String.raw`(${NAME}${TO_VALUE})((\\{0,7})["'])([\s\S]*?)(?<!\\)(?:\2|$)`, 'gi');
/** `Cookie: a=b; c=d`: the value of a header ends at the end of its line. */
const HEADER = /((?:authorization|cookie)[\w-]{0,20}\s{0,8}:\s{0,8})(?!["'\\[{\s])[^\r\n]+/gi;
/** `password=…`: a value without quotes ends at a blank or a separator. */
const UNQUOTED = new RegExp(
  String.raw`(${NAME}${TO_VALUE})(?!expected .{0,200}, received |["'\\\s[{])([^\s"'\\,;&)}\]]+)`,
  'gi',
);

/** `api_key: expected no such argument, received "…"`: the form in which Orion itself reports a wrong value. */
const REFUSED = new RegExp(String.raw`(${NAME}[\w.-]{0,40}: expected [^\n]{0,200}?, received )[^\n]+`, 'gi');

/** Counts are no secrets: `maxTokens: 4096`, `promptTokens=12`. */
const COUNTER = /^token(?:s|[-_]?(?:count|budget|limit|usage))/i;
const NUMBER = /^(?:\d{1,9}(?:\.\d{1,6})?|true|false|null)$/;

/** Returns the text with `[redacted]` for every secret that can be recognised by its name or its shape. */
export const redactText = (text: string): string => {
  let redacted = text;
  for (const [pattern, replacement] of SECRET_VALUES) redacted = redacted.replace(pattern, replacement);
  return redacted
    .replace(REFUSED, `$1${REDACTED}`)
    .replace(QUOTED, (whole, name: string, quote: string, _escapes: string, value: string) =>
      value === '' || isCounter(name, value) ? whole : `${name}${quote}${REDACTED}${quote}`,
    )
    .replace(HEADER, `$1${REDACTED}`)
    .replace(UNQUOTED, (whole, name: string, value: string) =>
      isCounter(name, value) ? whole : `${name}${REDACTED}`,
    );
};

const isCounter = (name: string, value: string): boolean => COUNTER.test(name) && NUMBER.test(value);
