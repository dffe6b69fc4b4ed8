/** Tests how input requests of a turn are answered where they are shown, in a pseudo-terminal. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { InputRequested } from '../../src/contracts/wire/input-events.ts';
import { ARGS_HASH, FakeGateway, type FakeTurn } from './support/fake-gateway.ts';
import { TerminalCli } from './support/terminal-cli.ts';
import { OrionCli } from '../support/orion-cli.ts';

/** The Escape key, as sent by terminals that distinguish it from the beginning of another key. */
const ESCAPE = '\u001B[27u';
const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const CTRL_L = '\f';
const KEYS = 'y allow · a allow all of this turn · e edit · n deny';
const DIFF = '--- a.md\n+++ a.md\n@@ -1 +1 @@\n-old\n+new';

let gateway: FakeGateway;
let cli: TerminalCli;
let turn: FakeTurn;

const open = async (args: readonly string[] = []): Promise<void> => {
  gateway = await FakeGateway.start();
  cli = new TerminalCli({ url: gateway.url, columns: 100, rows: 30, args });
};
const close = async (): Promise<void> => {
  await cli.stop();
  await gateway.stop();
};

describe('a request in a conversation', () => {
  beforeAll(() => open());
  afterAll(close);
  beforeEach(async () => {
    // Each test begins on an empty screen of the same conversation.
    cli.type(CTRL_L);
    await cli.until((screen) => screen.trimEnd() === '>', 'the prompt alone');
    cli.type('first\r');
    turn = await gateway.nextTurn();
    turn.isListening = true;
    turn.say('One');
    await cli.shows('One');
  });

  const ends = async (): Promise<string> => {
    turn.end();
    await cli.prompts('> ');
    return cli.terminal.text();
  };

  it('says that there is a person who can be asked', async () => {
    expect(turn.metadata).toMatchObject({ inputs: ['question', 'limit'] });
    await ends();
  });

  it('is shown with its diff, and one key allows it', async () => {
    turn.ask({ diff: DIFF });
    const screen = await cli.shows(KEYS);
    expect(screen).toContain('? May it run?\n  --- a.md\n  +++ a.md\n  @@ -1 +1 @@\n  -old\n  +new\n');
    expect(screen).not.toContain('orion reply');
    cli.type('y');
    expect(await turn.untilReplied(1)).toEqual({ reply: 'allow', argsHash: ARGS_HASH });
    turn.resolve('allow');
    expect(await ends()).toContain(`${turn.turnId}/1: allow (local)`);
  });

  it('the key a allows all requests of the turn, and Enter takes a word', async () => {
    turn.ask();
    await cli.shows(KEYS);
    cli.type('a');
    expect(await turn.untilReplied(1)).toEqual({ reply: 'allow_turn', argsHash: ARGS_HASH });
    turn.resolve('allow_turn');
    turn.ask();
    await cli.until((screen) => screen.split(KEYS).length === 3, 'the second prompt');
    cli.type('no\r');
    await cli.shows('why, for the model');
    cli.type('\r');
    expect(await turn.untilReplied(2)).toEqual({ reply: 'deny' });
    turn.resolve('deny');
    await ends();
  });

  it('the key n asks why, and Escape goes back', async () => {
    turn.ask();
    await cli.shows(KEYS);
    cli.type('n');
    await cli.shows('why, for the model');
    cli.type(ESCAPE);
    await cli.until((screen) => screen.split(KEYS).length === 3, 'the keys again');
    cli.type('n');
    await cli.until((screen) => screen.split('why, for the model').length === 3, 'the note again');
    cli.type('not now\r');
    expect(await turn.untilReplied(1)).toEqual({ reply: 'deny', note: 'not now' });
    turn.resolve('deny', { note: 'not now' });
    expect(await ends()).toContain(': deny (local): not now');
  });

  it('the key e lets the user change the arguments, and says what they must be', async () => {
    turn.ask();
    await cli.shows(KEYS);
    cli.type('e');
    await cli.shows('arguments > {"path":"a.md"}');
    cli.type('\u007F\r');
    await cli.shows('expected a JSON object');
    cli.type('}\r');
    expect(await turn.untilReplied(1)).toMatchObject({ reply: 'edit', arguments: { path: 'a.md' } });
    turn.resolve('edit');
    await ends();
  });

  it('does not take a word for a key: a message that begins with such a letter goes into the turn', async () => {
    turn.ask();
    await cli.shows(KEYS);
    cli.type('also rename it');
    await cli.shows('also rename it');
    cli.type('\r');
    expect(await turn.untilHeard(1)).toMatchObject([{ content: 'also rename it', when: 'boundary' }]);
    await cli.shows('(1 waiting) y allow');
    expect(turn.replies).toEqual([]);
    turn.resolve('allow', { name: 'anna' });
    turn.apply(turn.messages[0]?.messageId ?? '', 'also rename it');
    expect(await ends()).toContain('/1: allow (anna)');
  });

  it('what was half typed when it came is no answer, and stays', async () => {
    cli.type('y');
    await cli.shows('› y');
    turn.ask();
    await cli.shows('Ctrl-D later > y');
    turn.resolve('deny', { name: 'anna' });
    turn.end();
    await cli.prompts('> y');
    cli.type(CTRL_C);
    expect(turn.replies).toEqual([]);
  });

  it('a person whose reply comes too late is told who was faster', async () => {
    turn.refusals.push({
      status: 409,
      code: 'input_closed',
      error: 'The request is closed.',
      details: { reply: 'deny', by: 'anna', at: '2026-01-05T09:02:00.000Z' },
    });
    turn.ask();
    await cli.shows(KEYS);
    cli.type('y');
    await cli.shows('Somebody was faster: deny by anna.');
    turn.resolve('deny', { name: 'anna' });
    expect((await ends()).split(KEYS)).toHaveLength(2);
  });

  it('is asked again when the reply does not count, and the reply is repeated while its outcome is unknown', async () => {
    turn.refusals.push({ status: 503, code: 'temporal_unavailable', error: 'No worker answers.' });
    turn.refusals.push({ status: 409, code: 'input_changed', error: 'The file changed after it was shown.' });
    turn.ask();
    await cli.shows(KEYS);
    cli.type('y');
    await cli.shows('The file changed after it was shown.');
    await cli.until((screen) => screen.split(KEYS).length === 3, 'the keys again');
    expect(turn.replies).toHaveLength(2);
    turn.resolve('deny', { name: 'anna' });
    await ends();
  });

  it('a question takes a number or words', async () => {
    const question: Partial<InputRequested> = {
      kind: 'question',
      message: 'Which colour?',
      options: ['answer', 'deny'],
    };
    turn.ask({ ...question, arguments: '{"question":"Which colour?","options":["red","blue"]}' });
    const screen = await cli.shows('1-2 or your answer');
    expect(screen).toContain('? Which colour?\n  1 red\n  2 blue\n');
    cli.type('2\r');
    expect(await turn.untilReplied(1)).toEqual({ reply: 'answer', content: 'blue' });
    turn.resolve('answer');
    turn.ask({ ...question, arguments: '{"question":"Which colour?"}' });
    await cli.until((text) => text.split('your answer').length === 3, 'the second question');
    cli.type('yellow, I think\r');
    expect(await turn.untilReplied(2)).toEqual({ reply: 'answer', content: 'yellow, I think' });
    turn.resolve('answer');
    await ends();
  });

  it('a limit takes y and n', async () => {
    turn.ask({ kind: 'limit', message: 'Shall it go on?', options: ['keep_going', 'answer_now'] });
    await cli.shows('y keep going · n answer now');
    cli.type('y');
    expect(await turn.untilReplied(1)).toMatchObject({ reply: 'keep_going' });
    turn.resolve('keep_going');
    await ends();
  });

  it('a call of a tool of the client is shown, and can be denied', async () => {
    turn.ask({
      kind: 'client_tool',
      message: 'app_click is asked for its result.',
      options: ['result', 'deny'],
    });
    const screen = await cli.shows('n deny · Ctrl-D later');
    expect(screen).toContain('? app_click is asked for its result.\n  {"path":"a.md"}\nn deny');
    cli.type(ESCAPE);
    expect(await turn.untilReplied(1)).toEqual({ reply: 'deny' });
    turn.resolve('deny');
    await ends();
  });

  it('Ctrl-C cancels the turn', async () => {
    turn.ask();
    await cli.shows(KEYS);
    cli.type(CTRL_C);
    await turn.cancelled;
    turn.end('cancelled');
    await cli.prompts('> ');
    expect(turn.replies).toEqual([]);
  });

  it('Ctrl-D leaves it waiting', async () => {
    turn.ask();
    await cli.shows(KEYS);
    cli.type(CTRL_D);
    await cli.shows(`Answer: orion reply ${turn.turnId}/1 allow|allow_turn|edit|deny`);
    await cli.shows('Detached; the turn goes on.');
    expect(await cli.ended).toBe(130);
    expect(turn.replies).toEqual([]);
    expect(gateway.requests).not.toContain(`POST /api/turns/${turn.turnId}/cancel`);
  });
});

describe('a request of orion -p', () => {
  afterEach(close);

  it('is answered on a terminal by a key', async () => {
    await open(['-p', 'first']);
    turn = await gateway.nextTurn();
    expect(turn.metadata).toMatchObject({ inputs: ['question', 'limit'] });
    turn.ask();
    await cli.shows(KEYS);
    cli.type('what?\r');
    await cli.until((screen) => screen.split(KEYS).length === 3, 'the keys again');
    cli.type('y');
    expect(await turn.untilReplied(1)).toEqual({ reply: 'allow', argsHash: ARGS_HASH });
    turn.resolve('allow');
    turn.say('Done.');
    turn.end();
    await cli.shows('Done.');
    expect(await cli.ended).toBe(0);
  });

  it('is answered by --answer, and what was denied ends with 6', async () => {
    await open(['-p', 'first', '--answer', 'deny']);
    turn = await gateway.nextTurn();
    expect(turn.metadata).not.toHaveProperty('inputs');
    turn.ask();
    expect(await turn.untilReplied(1)).toEqual({ reply: 'deny' });
    turn.resolve('deny');
    turn.end();
    expect(await cli.ended).toBe(6);
  });

  it('is printed on stderr where there is no terminal, with how to answer it', async () => {
    await open(['--version']);
    const piped = new OrionCli(['-p', 'first', '--output-format', 'stream-json'], { url: gateway.url });
    turn = await gateway.nextTurn();
    expect(turn.metadata).not.toHaveProperty('inputs');
    turn.ask({ diff: DIFF });
    await piped.shows(`Answer: orion reply ${turn.turnId}/1 allow|allow_turn|edit|deny`, 'stderr');
    turn.resolve('allow');
    turn.output('one\n');
    await piped.shows('{"type":"tool_output","callId":"c1","stream":"stdout","content":"one\\n"}\n');
    turn.end();
    expect(await piped.ended).toBe(0);
    expect(piped.stderr).not.toContain('│ one');
  });
});
