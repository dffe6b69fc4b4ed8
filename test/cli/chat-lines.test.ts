import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { completeLine } from '../../src/cli/prompt-line/complete-line.ts';
import { completeChatLine, readChatLine } from '../../src/cli/prompt-line/chat-line.ts';

describe('a line of a conversation', () => {
  it.each([
    ['hello', { kind: 'message', content: 'hello' }],
    ['  ', { kind: 'nothing' }],
    ['/help', { kind: 'help' }],
    ['/new ', { kind: 'new' }],
    ['/quit', { kind: 'quit' }],
    ['/exit', { kind: 'quit' }],
    ['/mode plan', { kind: 'mode', mode: 'plan' }],
    ['/mode', { kind: 'unknown', problem: '/mode: expected plan or act, received nothing' }],
    ['/clear', { kind: 'new' }],
    ['/model large', { kind: 'model', model: 'large' }],
    ['/model', { kind: 'unknown', problem: '/model: expected a name, received nothing' }],
    ['/resume 3f8b', { kind: 'resume', id: '3f8b' }],
    ['/retry', { kind: 'retry', turnId: undefined }],
    ['/edit 3f8b', { kind: 'edit', turnId: '3f8b' }],
    ['/nope', { kind: 'unknown', problem: 'Unknown command /nope. /help shows what there is.' }],
    [
      '/resum 3f8b',
      {
        kind: 'unknown',
        problem: 'Unknown command /resum. Did you mean /resume? /help shows what there is.',
      },
    ],
    [
      '!ls -l',
      {
        kind: 'unknown',
        problem: 'A line that begins with ! is not run here: type it in a shell (Ctrl-Z, then fg).',
      },
    ],
    ['/quit smoking', { kind: 'unknown', problem: '/quit: expected nothing after it, received smoking' }],
    [
      '/new topic: cats',
      { kind: 'unknown', problem: '/new: expected nothing after it, received topic: cats' },
    ],
    ['/help me please', { kind: 'unknown', problem: '/help: expected nothing after it, received me please' }],
    ['/mode act now', { kind: 'unknown', problem: '/mode: expected plan or act, received act now' }],
    ['/model large one', { kind: 'unknown', problem: '/model: expected a name, received large one' }],
    ['/retry 3f8b 9c1d', { kind: 'unknown', problem: '/retry: expected one id, received 3f8b 9c1d' }],
    [
      '/mode act\nand go on',
      { kind: 'unknown', problem: '/mode: expected plan or act, received act\\u000aand go on' },
    ],
    [
      `/new ${'y '.repeat(40)}`,
      { kind: 'unknown', problem: `/new: expected nothing after it, received ${'y '.repeat(29)}y…` },
    ],
    ['/etc is a folder', { kind: 'message', content: '/etc is a folder' }],
    ['/newsletters are what?', { kind: 'message', content: '/newsletters are what?' }],
    ['/etc/hosts says what?', { kind: 'message', content: '/etc/hosts says what?' }],
  ])('%j', (line, read) => {
    expect(readChatLine(line)).toEqual(read);
  });

  it('completes commands and nothing else', () => {
    expect(completeChatLine('/mo')).toEqual(['/mode plan', '/mode act', '/model']);
    expect(completeChatLine('mode')).toEqual([]);
  });
});

it('completes names with blanks in quotes', () => {
  const workspace = mkdtempSync(join(tmpdir(), 'orion-blanks-'));
  mkdirSync(join(workspace, 'my notes'));
  for (const name of ['my notes/a b.md', 'my notes/c.md', 'plain.md']) {
    writeFileSync(join(workspace, name), '');
  }
  const completed = (before: string) => completeLine(before, workspace);
  expect(completed('see @my')).toEqual({ replaces: 'my', candidates: ['"my notes/'] });
  expect(completed('see @"my notes/')).toEqual({
    replaces: '"my notes/',
    candidates: ['"my notes/a b.md"', '"my notes/c.md"'],
  });
  expect(completed('@')).toEqual({ replaces: '', candidates: ['"my notes/', 'plain.md'] });
  expect(completed('@pl')).toEqual({ replaces: 'pl', candidates: ['plain.md'] });
  rmSync(workspace, { recursive: true });
});
