/*
 * Field schemas for environment variables. Every one takes text and fails with only "expected …". The code that reports
 * the problem adds the variable's name and what was received, because only that code knows which values are secret. The
 * expectation is also the field's metadata `expected`, for docs/configuration.md.
 */
import { z } from 'zod';
import { AMOUNT_EXPECTATION, millionthsOf } from '../../base/money.ts';
import { API_KEY_EXPECTATION, isApiKey } from '../../base/text/api-key.ts';

/** Creates a field that converts text, or says what was expected instead. */
const convertedField = <T>(expected: string, convert: (text: string) => T | undefined) =>
  z
    .string()
    .transform((text, context): T => {
      const value = convert(text.trim());
      if (value !== undefined) return value;
      context.addIssue({ code: 'custom', message: `expected ${expected}` });
      return z.NEVER;
    })
    .meta({ expected });

/** Any text; blanks around it do not count. */
export const textField = z.string().trim();

/** The key of an API. Nothing means that there is no key. */
export const apiKeyField = textField.refine(
  (key) => key === '' || isApiKey(key),
  `expected ${API_KEY_EXPECTATION}`,
);

/**
 * Creates a field that takes decimal digits only: `1e3`, `0x10` and `5 minutes` are typing errors here, not numbers.
 */
export const integerField = (min: number, max: number) =>
  convertedField(`an integer from ${min} to ${max}`, (value) => {
    const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
    return number >= min && number <= max ? number : undefined;
  });

/** Creates a field with the bounds and the default of a number schema of the contracts. */
export const integerFieldLike = (schema: z.ZodDefault<z.ZodNumber>) => {
  const { minValue, maxValue } = schema.unwrap();
  return integerField(minValue ?? 0, maxValue ?? Number.MAX_SAFE_INTEGER).default(schema.parse(undefined));
};

const BOOLEANS = new Map([
  ...['true', 'on', 'yes', '1'].map((word) => [word, true] as const),
  ...['false', 'off', 'no', '0'].map((word) => [word, false] as const),
]);

/**
 * A boolean, written as one of the words of `BOOLEANS`. Any other word is refused, because a text such as `off` is
 * truthy in JavaScript and would switch a feature on.
 */
export const booleanField = convertedField('on, true, yes, 1 or off, false, no, 0', (value) =>
  BOOLEANS.get(value.toLowerCase()),
);

/** A boolean for a feature that is on by default. Setting the variable to nothing switches the feature off. */
export const booleanOrEmptyField = convertedField(
  'on, true, yes, 1 or off, false, no, 0 or nothing, which is off',
  (value) => (value === '' ? false : BOOLEANS.get(value.toLowerCase())),
);

/** A umask (umask(2)) in octal digits. A umask that closes files to their own owner is refused as a typing error. */
export const fileMaskField = convertedField(
  'three octal digits that begin with 0, such as 077 or 022',
  (value) => (/^0[0-7]{2}$/.test(value) ? value : undefined),
);

/** Creates a field that takes one of several words, exactly as written. */
export const choiceField = <const T extends string>(values: readonly T[]) =>
  convertedField(`one of ${values.join(', ')}`, (value) => values.find((known) => known === value));

/** Entries separated by commas; blanks around them do not count. */
const entriesField = z.string().transform((value) =>
  value
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== ''),
);

/**
 * Creates a field that takes texts separated by commas, each of which must pass `isEntry`. `expected` describes such
 * texts.
 */
export const listField = (expected: string, isEntry: (entry: string) => boolean) =>
  entriesField.refine((entries) => entries.every(isEntry), `expected ${expected}`).meta({ expected });

/** Creates a field that takes an absolute URL with one of the given schemes. The value has no slash at its end. */
export const urlField = (...schemes: readonly string[]) =>
  convertedField(
    `a URL that begins with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
    (value) => {
      const parsed = URL.canParse(value) ? new URL(value) : undefined;
      const hasKnownScheme = parsed !== undefined && schemes.includes(parsed.protocol.slice(0, -1));
      return hasKnownScheme ? value.replace(/\/+$/, '') : undefined;
    },
  );

/** An http(s) URL. A login in it would show in logs and errors, and `fetch` refuses such an address. */
export const httpUrlField = urlField('http', 'https')
  .refine((value) => {
    const { username, password } = new URL(value);
    return username === '' && password === '';
  }, 'expected a URL without user name and password')
  .meta({ expected: 'a URL that begins with http:// or https://, without user name and password' });

/** An amount of money, read as whole millionths. */
export const amountField = convertedField(AMOUNT_EXPECTATION, (value) =>
  /^\d{1,10}(\.\d{1,6})?$/.test(value) ? millionthsOf(Number(value)) : undefined,
);

/** Creates a field that takes a time in milliseconds, at least one and at most `max`. */
export const millisecondsField = (max: number) => integerField(1, max);

/** A redis(s) URL, which may have the number of a database after the host. */
export const redisUrlField = urlField('redis', 'rediss')
  .refine((value) => {
    const { hostname, pathname, username, password } = new URL(value);
    return hostname !== '' && /^(\/\d*)?$/.test(pathname) && isEncoded(username) && isEncoded(password);
  }, 'expected redis://user:password@host:port/number of a database, or rediss:// for TLS')
  .meta({ expected: 'a URL that begins with redis:// or rediss://' });

/** Reports whether a login is percent-encoded, so that a `%` in it is written `%25`. */
const isEncoded = (text: string): boolean => !/%(?![\dA-Fa-f]{2})/.test(text);
