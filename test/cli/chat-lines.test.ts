import { describe, expect, it } from '@jest/globals';
import { completeChatLine, readChatLine } from '../../src/cli/chat/slash-command.ts';

describe('a line of a conversation', () => {
  it.each([
    ['hello', { kind: 'ask', content: 'hello' }],
    ['  ', { kind: 'nothing' }],
    ['/help', { kind: 'help' }],
    ['/new ', { kind: 'new' }],
    ['/quit', { kind: 'quit' }],
    ['/exit', { kind: 'quit' }],
    ['/mode plan', { kind: 'mode', mode: 'plan' }],
    ['/mode', { kind: 'unknown', problem: '/mode: expected plan or act, received nothing' }],
    ['/nope', { kind: 'unknown', problem: 'Unknown command /nope: /help shows what there is.' }],
    ['/etc/hosts says what?', { kind: 'ask', content: '/etc/hosts says what?' }],
  ])('%j', (line, read) => {
    expect(readChatLine(line)).toEqual(read);
  });

  it('completes commands and nothing else', () => {
    expect(completeChatLine('/mo')).toEqual(['/mode plan', '/mode act']);
    expect(completeChatLine('mode')).toEqual([]);
  });
});
