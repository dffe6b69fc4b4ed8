import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { REDACTED, redactText } from '../../src/trace/redact-text.ts';
import { redact } from '../../src/trace/redact.ts';
import type { JsonValue } from '../../src/contracts/values/json-value.ts';
import { growthOf } from '../support/growth.ts';

const SECRET_NAMES = [
  'password',
  'dbPassword',
  'PGPASSWD',
  'passphrase',
  'secret',
  'client_secret',
  'token',
  'accessToken',
  'x-auth-token',
  'api_key',
  'api-key',
  'apiKey',
  'OPENAI_API_KEY',
  'Authorization',
  'Proxy-Authorization',
  'cookie',
  'Set-Cookie',
  'private_key',
  'aws_secret_access_key',
];

const secretName = fc.constantFrom(...SECRET_NAMES);
/** The secret's letters occur in nothing else that is generated here. */
const canary = fc
  .array(fc.constantFrom('q', 'z', 'Q', 'Z', '7'), { minLength: 6, maxLength: 24 })
  .map((letters) => `qz${letters.join('')}`);
const harmlessName = fc.constantFrom('path', 'note', 'items', 'body', 'headers', 'maxTokens');
const harmless = fc.constantFrom<JsonValue>(null, 1, true, 'hello', 'a\nb', [], {});

/**
 * Returns values that contain `secret` somewhere below: under a secret's name, in an object, a list, or JSON in a text.
 */
const holding = (secret: string): fc.Arbitrary<JsonValue> => {
  const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      secretName.map((name): JsonValue => ({ [name]: secret })),
      secretName.map((name): JsonValue => ({ name, value: secret })),
      secretName.map((name): JsonValue => ({ [name]: { deep: [secret, { a: secret }] } })),
      fc.tuple(harmlessName, tie('value'), harmless).map(([name, inner, other]): JsonValue => {
        return { other, [name]: inner };
      }),
      fc.tuple(harmless, tie('value')).map(([other, inner]): JsonValue => [other, inner]),
      tie('value').map((inner): JsonValue => ({ arguments: JSON.stringify(inner) })),
    ),
  }));
  return value;
};

describe('redact', () => {
  it('leaves no secret behind, however deep it lies, also in JSON inside texts', () => {
    fc.assert(
      fc.property(
        canary.chain((secret) => fc.tuple(fc.constant(secret), holding(secret))),
        ([secret, value]) => !JSON.stringify(redact(value)).includes(secret),
      ),
      { numRuns: 2_000 },
    );
  });

  it('changes nothing that holds no secret, spacing of JSON texts included', () => {
    const name = fc.constantFrom('path', 'author', 'keyboard', 'tokenizer');
    const counter = fc.constantFrom('maxTokens', 'promptTokens', 'tokenCount', 'token');
    const text = fc.constantFrom('plain text', '{ "path": "a" }', '[ 1, 2 ]', '"q"', '{broken');
    const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        text,
        fc.array(tie('value')),
        fc.dictionary(name, tie('value')),
        fc.dictionary(counter, fc.oneof(fc.integer(), fc.boolean(), fc.constant(null))),
      ),
    }));
    fc.assert(fc.property(value, (one) => expect(redact(one)).toEqual(one)));
  });

  it.each([
    [{ token: 12 }, { token: 12 }],
    [
      { maxTokens: 4096, isTokenValid: true },
      { maxTokens: 4096, isTokenValid: true },
    ],
    [{ password: 1234 }, { password: REDACTED }],
    [{ password: null }, { password: null }],
    [{ tokens: ['a', 'b'] }, { tokens: REDACTED }],
    [{ 'sk-abcdefgh': 1 }, { [REDACTED]: 1 }],
    [
      [{ field: 'api_key', expected: 'no such argument', received: '"x1"' }],
      [{ field: 'api_key', expected: 'no such argument', received: REDACTED }],
    ],
    [
      { field: 'path', received: '"x1"' },
      { field: 'path', received: '"x1"' },
    ],
    ['{"a": {"password": "x"}}', '{"a":{"password":"[redacted]"}}'],
  ])('%j → %j', (value, expected) => {
    expect(redact(value as JsonValue)).toEqual(expected);
  });
});

describe('redactText', () => {
  it.each([
    ['key sk-proj-abc_DEF-123456 used', `key ${REDACTED} used`],
    ['Authorization: Bearer abc.def-123', `Authorization: ${REDACTED}`],
    ['with bearer abc.def-123 sent', `with Bearer ${REDACTED} sent`],
    ['Authorization: Basic dXNlcjpwYXNz\r\nHost: x', `Authorization: ${REDACTED}\r\nHost: x`],
    ['Cookie: a=b; c=d\nnext', `Cookie: ${REDACTED}\nnext`],
    ['postgres://orion:hunter2@db:5432/x', `postgres://orion:${REDACTED}@db:5432/x`],
    ['PASSWORD=hunter2 npm start', `PASSWORD=${REDACTED} npm start`],
    ['?access_token=abc&page=2', `?access_token=${REDACTED}&page=2`],
    ['{"password": "hun\\"ter2", "path": "x"', `{"password": "${REDACTED}", "path": "x"`],
    ['{\\"password\\": \\"hunter2\\"}', `{\\"password\\": \\"${REDACTED}\\"}`],
    ['{"password": "cut of', `{"password": "${REDACTED}"`],
    ["password: 'hunter2'", `password: '${REDACTED}'`],
    [
      'a -----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY----- b -----BEGIN EC PRIVATE KEY-----\ncut',
      `a ${REDACTED} b ${REDACTED}`,
    ],
    ['jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-_1', `jwt ${REDACTED}`],
    [
      'invalid arguments: api_key: expected no such argument, received "x1"; path: expected a, received b',
      `invalid arguments: api_key: expected no such argument, received ${REDACTED}`,
    ],
    ['ghp_0123456789abcdefghij and AKIAIOSFODNN7EXAMPLE', `${REDACTED} and ${REDACTED}`],
  ])('%j', (text, expected) => {
    expect(redactText(text)).toBe(expected);
  });

  it.each([
    'risk-averse, a task-force of desk-workers, sk-SK',
    'maxTokens: 4096, prompt_tokens=12, "completion_tokens": 20',
    'The token is tokenized; no secret was told.',
    'http://localhost:5000/a@b and mail@example.org',
  ])('does not change: %s', (text) => {
    expect(redactText(text)).toBe(text);
  });

  it('reads hostile text without a quadratic search', async () => {
    // Once takes a small text less than a millisecond, and the clock would decide.
    const redactOften = (text: string): void => {
      for (let times = 0; times < 8; times += 1) redactText(text);
    };
    const units = [
      'a',
      'password',
      'password:"',
      'sk-',
      'eyJaaaaaaaa.',
      '-----BEGIN A-----',
      'Bearer ',
      '://a:',
    ];
    for (const unit of [...units, '\\', 'cookie :', 'api key ', '"token":', '= ', '{"']) {
      const textOf = (bytes: number): string => unit.repeat(Math.ceil(bytes / unit.length));
      const texts = { small: textOf(32 * 1024), large: textOf(256 * 1024) };
      expect(await growthOf(redactOften, texts)).toBeLessThan(24);
    }
  });
});
