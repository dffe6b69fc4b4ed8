/** Tests a message that is sent again, unchanged or edited. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CliContext } from '../../src/cli/command-context/cli-context.ts';
import type { ChatMessage } from '../../src/contracts/http/message-api.ts';
import { findOpeningMessage } from '../../src/cli/turn/opening-message.ts';
import { partOf } from '../support/part-of.ts';
import { FakeGateway } from './support/fake-gateway.ts';
import { TerminalCli } from './support/terminal-cli.ts';

type Row = readonly [turnId: string | null, sender: ChatMessage['sender'], content: string];

/** Finds the message that began a turn, where searches are answered with these rows, newest first, in pages of two. */
const findAskedAmong = async (rows: readonly Row[], parentTurnId: string | null, turnId = 't2') => {
  const said: string[] = [];
  const context = partOf<CliContext>({
    retry: { attempts: 1, delayMs: 0, sleep: () => Promise.resolve(), report: () => undefined },
    config: { projectId: 'p' },
    screen: { report: (line: string) => said.push(line) },
    turns: { readStatus: () => Promise.resolve({ turnId }) },
    conversations: {
      listBranchMessages: (_project: string, _leaf: string, offset: number) =>
        Promise.resolve({
          messages: rows.slice(offset, offset + 2).map(([id, sender, content]) => ({
            turnId: id,
            sender,
            content,
            conversationId: 'c',
            parentTurnId,
            metadata: {},
          })),
          nextOffset: offset + 2 < rows.length ? offset + 2 : null,
        }),
    },
  });
  return { outcome: await findOpeningMessage(context, turnId), said };
};

describe('the message that began a turn', () => {
  it.each<[string, readonly Row[], string | null]>([
    [
      'the first',
      [
        ['t2', 'orion', 'a'],
        ['t2', 'user', 'q'],
      ],
      null,
    ],
    [
      'with a note before it',
      [
        ['t2', 'orion', 'a'],
        ['t2', 'user', 'q'],
        [null, 'system', 'n'],
      ],
      null,
    ],
    [
      'behind another',
      [
        ['t2', 'orion', 'a'],
        ['t2', 'user', 'q'],
        ['t1', 'orion', 'b'],
      ],
      't1',
    ],
    [
      'with messages into the turn',
      [
        ['t2', 'orion', 'a'],
        ['t2', 'user', 'steer'],
        ['t2', 'user', 'steer'],
        ['t2', 'user', 'q'],
        ['t1', 'user', 'b'],
      ],
      't1',
    ],
    [
      'of a turn that runs',
      [
        ['t2', 'user', 'q'],
        ['t1', 'orion', 'b'],
      ],
      't1',
    ],
  ])('is found, and where it stands: %s', async (_what, rows, parentTurnId) => {
    const message = { conversationId: 'c', content: 'q', parentTurnId };
    expect(await findAskedAmong(rows, parentTurnId)).toEqual({
      outcome: { kind: 'found', message },
      said: [],
    });
  });

  it('may have been removed, which the person is told', async () => {
    expect(await findAskedAmong([], null)).toEqual({
      outcome: { kind: 'none', code: 1 },
      said: ['What was said in turn t2 has been removed.'],
    });
  });
});

describe('in a conversation', () => {
  let gateway: FakeGateway;
  let cli: TerminalCli;
  const listed = {
    conversationId: 'main',
    projectId: 'default',
    metadata: {},
    createdAt: '2026-01-02T03:04:05.000Z',
  };
  const summary = {
    turnId: 't2',
    conversationId: 'main',
    title: 'the qestion',
    status: 'completed',
    reason: 'answered',
    protocol: 'two_stage',
    mode: 'act',
    model: 'fake',
    startedAt: '2026-01-02T03:04:05.000Z',
    endedAt: null,
  };
  beforeEach(async () => {
    gateway = await FakeGateway.start({
      'GET /api/turns': { body: { turns: [summary], more: false } },
      'GET /api/chat/messages': {
        body: {
          messages: [
            { ...listed, id: '4', turnId: 't2', parentTurnId: 't1', sender: 'orion', content: 'What?' },
            { ...listed, id: '3', turnId: 't2', parentTurnId: 't1', sender: 'user', content: 'the qestion' },
            { ...listed, id: '2', turnId: 't1', parentTurnId: null, sender: 'orion', content: 'Hello.' },
          ],
          total: 3,
          nextOffset: null,
        },
      },
    });
  });
  const open = async () => {
    cli = new TerminalCli({ url: gateway.url, args: ['--conversation', 'main'] });
    await cli.prompts('> ');
  };
  afterEach(async () => {
    await cli.stop();
    await gateway.stop();
  });

  it('/retry has the last message answered again, from where it was sent; the next message continues from there', async () => {
    await open();
    cli.type('/retry\r');
    const again = await gateway.nextTurn();
    expect([again.content, again.parentTurnId]).toEqual(['the qestion', 't1']);
    again.end();
    await cli.prompts('> ');
    cli.type('and now?\r');
    const next = await gateway.nextTurn();
    expect([next.content, next.parentTurnId]).toEqual(['and now?', undefined]);
    next.end();
    await cli.prompts('> ');
  });

  it('/edit has the last message in the line again, and what is sent goes in its place', async () => {
    await open();
    cli.type('/edit\r');
    await cli.prompts('> the qestion');
    cli.type('?\r');
    const edited = await gateway.nextTurn();
    expect([edited.content, edited.parentTurnId]).toEqual(['the qestion?', 't1']);
    edited.end();
    await cli.prompts('> ');
  });

  it('/edit that is cleared leaves the message as it is', async () => {
    await open();
    cli.type('/edit\r');
    await cli.prompts('> the qestion');
    cli.type('\u0003');
    await cli.prompts('> ');
    cli.type('else\r');
    const next = await gateway.nextTurn();
    expect([next.content, next.parentTurnId]).toEqual(['else', undefined]);
    next.end();
    await cli.prompts('> ');
  });
});
