/** Covers addresses, stored messages and texts of the chat page. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ChatMessage } from '../../src/contracts/http/message-api.ts';
import { DAY_SPANS, projectOfAddress, readAddress, writeAddress } from '../../src/web/route/address.ts';
import { findProjectFailure } from '../../src/web/route/project-failure.ts';
import { DEFAULT_OPTIONS } from '../../src/web/composer/message-options.ts';
import { replyWords } from '../../src/web/input-requests/reply-words.ts';
import { type HistoryItem, itemsOf, withEarlier, withNewest } from '../../src/web/conversation/history.ts';
import { costAndWasteWords, costWords } from '../../src/web/wording/cost-words.ts';
import { callSubject } from '../../src/web/turn/call-words.ts';

const id = fc.stringMatching(/^[A-Za-z0-9_.:-]{1,128}$/).filter((text) => text !== '.' && text !== '..');

const searched = fc
  .string({ minLength: 1, maxLength: 200, unit: 'grapheme' })
  .filter((each) => each.length <= 200);
/** Addresses with a conversation or a view. */
const anyPlace = fc.oneof(
  fc.record(
    { projectId: id, days: fc.constantFrom(...DAY_SPANS), conversationId: id, turnId: id, search: searched },
    { requiredKeys: ['projectId', 'days', 'conversationId'] },
  ),
  fc
    .record(
      { projectId: id, days: fc.constantFrom(...DAY_SPANS), turnId: id, search: searched },
      { requiredKeys: ['projectId', 'days'] },
    )
    .map((place) => ({ ...place, view: 'days' as const })),
);

describe('an address', () => {
  it('leads to the place that it was written for', () => {
    fc.assert(
      fc.property(anyPlace, (place) => {
        const address = writeAddress({ conversationId: '', ...place });
        expect({ projectId: 'default', days: 30, ...readAddress(address) }).toEqual(place);
      }),
    );
  });

  it('without a project leads to the project that the page leaves out, if the person may use it', () => {
    const address = readAddress(writeAddress({ projectId: 'default', conversationId: 'c' }));
    expect(projectOfAddress(address, ['team', 'default'])).toBe('default');
    expect(projectOfAddress({ view: 'files' }, ['team', 'default'])).toBe('default');
    expect(projectOfAddress(address, null)).toBe('default');
    expect(projectOfAddress(address, ['team'])).toBe('team');
    expect(projectOfAddress({}, ['team', 'default'])).toBe('team');
    expect(projectOfAddress({ projectId: 'other', conversationId: 'c' }, ['team', 'default'])).toBe('other');
  });

  it('with days that are not offered or too long a search still names a place', () => {
    expect(readAddress('?view=days&days=8')).toEqual({ view: 'days' });
    expect(readAddress('?search=a%00%0ab')).toEqual({ search: 'ab' });
    expect(readAddress(`?search=${'a'.repeat(300)}`)).toEqual({ search: 'a'.repeat(200) });
  });

  it('with anything but ids in it names no place', () => {
    expect(readAddress('?conversation=<script>&turn=a%20b&project=..%2f')).toEqual({});
    expect(readAddress('?conversation=.&turn=..')).toEqual({});
  });

  it('with a project that is no id or that the person may not use says so, and any other does not', () => {
    const messageFor = (search: string, projects: readonly string[] | null): string | undefined =>
      findProjectFailure(search, projects)?.message;
    for (const named of ['a%20b', '..', 'x'.repeat(129)]) {
      expect(messageFor(`?project=${named}&view=files`, null)).toMatch(
        /^“.+” is not the id of a project: expected /,
      );
    }
    expect(messageFor('?project=a%0ab', null)).toContain('“a\\u000ab”');
    expect(messageFor('?project=web', ['demo'])).toBe(
      'There is no project web, or this key does not open it.',
    );
    expect(messageFor('?project=web', ['demo', 'web'])).toBeUndefined();
    expect(messageFor('?project=web', null)).toBeUndefined();
    expect(messageFor('?project=', ['demo'])).toBeUndefined();
    expect(messageFor('?conversation=c', ['demo'])).toBeUndefined();
  });
});

const message = (fields: Partial<ChatMessage>): ChatMessage => ({
  id: '1',
  turnId: 't',
  parentTurnId: null,
  projectId: 'p',
  conversationId: 'c',
  sender: 'user',
  content: 'Hi',
  metadata: {},
  createdAt: '',
  ...fields,
});

describe('stored messages', () => {
  it('become exchanges with their answers, oldest first; notes stand for themselves', () => {
    const stored = [
      message({ id: '4', turnId: 'u', parentTurnId: 't', content: 'And?' }),
      message({ id: '3', turnId: null, sender: 'system', content: 'A note' }),
      message({ id: '2', sender: 'orion', content: 'Hello' }),
      message({ id: '1' }),
    ];
    const options = DEFAULT_OPTIONS;
    expect(itemsOf(stored)).toEqual([
      { kind: 'exchange', turnId: 't', parentTurnId: null, message: 'Hi', options, answer: 'Hello' },
      { kind: 'note', id: '3', content: 'A note' },
      { kind: 'exchange', turnId: 'u', parentTurnId: 't', message: 'And?', options },
    ]);
  });

  it('know how they were asked, so that they can be asked so again', () => {
    const options = { mode: 'plan', protocol: 'standard', model: 'small' } as const;
    const stored = [message({ metadata: { ...options, requestId: 't', maxPhaseCycles: 25 } })];
    expect(itemsOf(stored)).toMatchObject([{ turnId: 't', message: 'Hi', options }]);
  });

  it('of a page that overlaps are taken once', () => {
    const items = itemsOf([message({})]);
    expect(
      withEarlier(items, itemsOf([message({}), message({ id: '0', turnId: 's' })])).map(
        (item) => item.kind === 'exchange' && item.turnId,
      ),
    ).toEqual(['s', 't']);
  });
});

it('the newest messages, read again, end what is there, except what has begun here meanwhile', () => {
  const nameOf = (item: HistoryItem): string => (item.kind === 'exchange' ? item.turnId : item.id);
  const stored = (...ids: readonly string[]) =>
    itemsOf(ids.map((turnId) => message({ turnId })).toReversed());
  const begun: HistoryItem = {
    kind: 'exchange',
    turnId: 'here',
    parentTurnId: 'b',
    message: 'Now?',
    options: DEFAULT_OPTIONS,
    isNew: true,
  };
  expect(withNewest([...stored('a', 'b'), begun], stored('b', 'c')).map(nameOf)).toEqual([
    'a',
    'b',
    'c',
    'here',
  ]);
  expect(withNewest([...stored('a'), begun], stored('a', 'here')).map(nameOf)).toEqual(['a', 'here']);
});

it('a reply names the person who gave it', () => {
  const reply = { type: 'input_resolved', inputId: 't/1', at: '' } as const;
  expect(replyWords({ ...reply, reply: 'allow', by: { kind: 'key', name: 'anna' } })).toBe('Allowed by anna');
  expect(replyWords({ ...reply, reply: 'deny', by: { kind: 'expiry' } })).toBe(
    'Denied: nobody replied in time',
  );
  expect(replyWords({ ...reply, reply: 'deny', by: { kind: 'local' }, note: 'no' })).toBe('Denied: “no”');
});

describe('words', () => {
  it('say what a conversation has cost, and how much of it was in vain', () => {
    expect(costAndWasteWords(1_250_000, 0)).toBe('1.25');
    expect(costAndWasteWords(1_250_000, 20_000)).toBe('1.25, 0.02 of it for repeats');
    expect([0, 42, 22_614, 210_000, 1_234_500_000].map(costWords)).toEqual([
      '0.00',
      '0.000042',
      '0.023',
      '0.21',
      '1,234.50',
    ]);
  });

  it('say what a call is about', () => {
    expect(callSubject('{"content":"long","path":"a.md"}')).toBe('a.md');
    expect(callSubject('{"pa')).toBe('');
    expect(callSubject('[1]')).toBe('');
  });
});
