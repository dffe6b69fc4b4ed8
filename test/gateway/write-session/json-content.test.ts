/**
 * Checks the content that is taken out of a JSON body: it is the same text as JSON.parse returns, however the bytes are
 * cut, or a refusal.
 */
import { describe, expect, it } from '@jest/globals';
import { property, assert, string, array, nat, constantFrom, tuple, jsonValue, boolean } from 'fast-check';
import { ApiError } from '../../../src/gateway/errors/api-error.ts';
import { JsonContent } from '../../../src/gateway/write-session/json-content.ts';

const pieces = (bytes: Buffer, cuts: readonly number[]): Buffer[] => {
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return at.slice(1).map((end, i) => bytes.subarray(at[i], end));
};

const take = (bytes: Buffer, cuts: readonly number[] = []) => {
  const json = new JsonContent();
  const content = pieces(bytes, cuts).flatMap((chunk) => [...json.take(chunk)]);
  return { content: Buffer.concat(content), fields: json.fields() };
};

const refusalOf = (body: string | Buffer): ApiError => {
  try {
    take(Buffer.from(body));
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error(`taken: ${String(body)}`);
};

const wellFormed = string({ unit: 'binary', maxLength: 40 }).map((text) => text.toWellFormed());
/** Returns the same text with any of its characters escaped. */
const escaped = (text: string, choices: readonly boolean[]): string =>
  Array.from({ length: text.length }, (_, i) =>
    choices[i % Math.max(choices.length, 1)] === true
      ? `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`
      : JSON.stringify(text.slice(i, i + 1)).slice(1, -1),
  ).join('');

describe('content of a JSON body', () => {
  it('is what JSON.parse returns, whatever surrounds it and wherever the bytes are cut', () => {
    const cuts = array(nat(), { maxLength: 8 });
    const around = array(tuple(constantFrom('a', 'b', 'session_id', 'content2'), jsonValue()), {
      maxLength: 3,
    });
    assert(
      property(wellFormed, around, around, cuts, (text, before, after, where) => {
        const field = ([name, value]: readonly [string, unknown]) =>
          `${JSON.stringify(name)}:${JSON.stringify(value)}`;
        const body = `{${[...before.map(field), `"content":${JSON.stringify(text)}`, ...after.map(field)].join(' ,\n')}}`;
        const { content, fields } = take(Buffer.from(body), where);
        expect(content.toString()).toBe(text);
        expect(fields).toEqual({ ...(JSON.parse(body) as object), content: '' });
      }),
    );
  });

  it('does not depend on how JSON writes it', () => {
    assert(
      property(
        wellFormed,
        array(boolean(), { minLength: 1 }),
        array(nat(), { maxLength: 8 }),
        (text, choices, where) => {
          const halves = escaped(text, choices);
          if (!JSON.parse(`"${halves}"`).isWellFormed()) return;
          const { content } = take(Buffer.from(`{"\\u0063ontent":"${halves}"}`), where);
          expect(content.toString()).toBe(text);
        },
      ),
    );
  });

  it.each([
    '{"a":{"content":"x"}}',
    '{"a":["content","x"]}',
    '{"content":{"content":"x"}}',
    '{"a":"content"}',
    '{"content":null}',
  ])('is only the string in the outermost field: %s', (body) => {
    expect(take(Buffer.from(body))).toEqual({
      content: Buffer.alloc(0),
      fields: JSON.parse(body) as unknown,
    });
  });

  it('may follow a byte order mark', () => {
    expect(take(Buffer.from('\ufeff{"content":"x"}')).content.toString()).toBe('x');
  });

  it('shows the fields before it while it is open', () => {
    const json = new JsonContent();
    expect([...json.take(Buffer.from('{"session_id":"s","content":"ab'))].join('')).toBe('ab');
    expect(json.fieldsBefore()).toEqual({ session_id: 's', content: '' });
  });

  it.each([
    ['a lone high surrogate', '{"content":"a\\ud800"}', 'a lone surrogate (\\ud800)'],
    ['a high surrogate before text', '{"content":"\\ud83dx"}', 'a lone surrogate (\\ud83d)'],
    ['a high surrogate before an escape', '{"content":"\\ud83d\\n"}', 'a lone surrogate (\\ud83d)'],
    ['two high surrogates', '{"content":"\\ud83d\\ud83d"}', 'a lone surrogate (\\ud83d)'],
    ['a lone low surrogate', '{"content":"\\ude00"}', 'a lone surrogate (\\ude00)'],
    ['an unknown escape', '{"content":"\\x41"}', 'the escape'],
    ['an escape that is cut', '{"content":"\\u00zz"}', 'an escape'],
    ['a raw line break', '{"content":"a\nb"}', 'a control character (0a)'],
  ])('%s is refused', (_, body, received) => {
    const { status, message } = refusalOf(body);
    expect(status).toBe(400);
    expect(message).toContain(`Validation failed: content: expected text that is valid Unicode`);
    expect(message).toContain(received);
  });

  it.each([
    ['nothing', ''],
    ['white space', ' \n'],
    ['an open string', '{"content":"a'],
    ['an open object', '{"content":"a"'],
    ['two values', '{"content":"a"}{}'],
    ['no colon', '{"content" "a"}'],
    ['a comma too many', '{"content":"a",}'],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['two contents', '{"content":"a","content":"b"}'],
    ['a thousand opening brackets', '['.repeat(1000)],
  ])('%s is refused', (_, body) => {
    expect(refusalOf(body)).toMatchObject({ code: 'validation_failed' });
  });

  it('may be surrounded by at most 64 KiB', () => {
    expect(refusalOf(`{"content":"a","x":"${'y'.repeat(65_536)}"}`)).toMatchObject({
      code: 'payload_too_large',
    });
    expect(refusalOf(' '.repeat(70_000))).toMatchObject({ code: 'payload_too_large' });
  });
});
