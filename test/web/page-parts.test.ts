/** Addresses, stored messages and words of the chat page. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ChatMessage } from '../../src/contracts/http/message-api.ts';
import { readAddress, writeAddress } from '../../src/web/page/address.ts';
import { itemsOf, withEarlier } from '../../src/web/page/history.ts';
import { actionName, byteWords, callSubject, durationWords } from '../../src/web/turn/call-words.ts';

const id = fc.stringMatching(/^[A-Za-z0-9_.:-]{1,128}$/);

describe('an address', () => {
  it('leads to the place that it was written for', () => {
    fc.assert(
      fc.property(id, id, fc.option(id, { nil: undefined }), (projectId, conversationId, turnId) => {
        const place = { projectId, conversationId, ...(turnId !== undefined && { turnId }) };
        expect({ projectId: 'default', ...readAddress(writeAddress(place)) }).toEqual(place);
      }),
    );
  });

  it('with anything but ids in it names no place', () => {
    expect(readAddress('?conversation=<script>&turn=a%20b&project=..%2f')).toEqual({});
  });
});

const message = (fields: Partial<ChatMessage>): ChatMessage => ({
  id: '1',
  turnId: 't',
  projectId: 'p',
  conversationId: 'c',
  sender: 'user',
  content: 'Hi',
  metadata: {},
  createdAt: '',
  ...fields,
});

describe('stored messages', () => {
  it('become questions with their answers, oldest first; notes stand for themselves', () => {
    const stored = [
      message({ id: '4', turnId: 'u', content: 'And?' }),
      message({ id: '3', turnId: null, sender: 'system', content: 'A note' }),
      message({ id: '2', sender: 'orion', content: 'Hello' }),
      message({ id: '1' }),
    ];
    expect(itemsOf(stored)).toEqual([
      { kind: 'exchange', turnId: 't', question: 'Hi', answer: 'Hello' },
      { kind: 'note', id: '3', content: 'A note' },
      { kind: 'exchange', turnId: 'u', question: 'And?' },
    ]);
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

describe('words', () => {
  it('tell a call by its action and what it is about', () => {
    expect(actionName('FileSystemTool_read_file')).toBe('read_file');
    expect(actionName('mcp__files__move')).toBe('files.move');
    expect(callSubject('{"content":"long","path":"a.md"}')).toBe('a.md');
    expect(callSubject('{"pa')).toBe('');
    expect(callSubject('[1]')).toBe('');
  });

  it('tell times and sizes as people do', () => {
    expect([5, 3_400, 125_000].map(durationWords)).toEqual(['5 ms', '3.4 s', '2 min 5 s']);
    expect([345, 5_120, 3 * 1_024 * 1_024].map(byteWords)).toEqual(['345 B', '5.0 KiB', '3.0 MiB']);
  });
});
