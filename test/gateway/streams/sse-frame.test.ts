import { describe, expect, it } from '@jest/globals';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { formatFrame } from '../../../src/gateway/streams/sse-frame.ts';

describe('formatFrame', () => {
  it('keeps every line of the data', () => {
    const messages: EventSourceMessage[] = [];
    const parser = createParser({ onEvent: (message) => messages.push(message) });
    parser.feed(formatFrame({ data: 'a\nb\r\nc\rd' }));
    expect(messages.map(({ data }) => data)).toEqual(['a\nb\nc\nd']);
  });

  it.each(['a\nb', 'a\rb', 'a\0b'])(
    'refuses the id or name %j, which would be read as another event',
    (text) => {
      expect(() => formatFrame({ id: text, data: '' })).toThrow('expected text on one line');
      expect(() => formatFrame({ event: text, data: '' })).toThrow('expected text on one line');
    },
  );

  it('refuses the event name error', () => {
    expect(() => formatFrame({ event: 'error', data: '' })).toThrow('received "error"');
  });
});
