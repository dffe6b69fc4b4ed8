/**
 * Tests the prompt line as a typist meets it: the command runs in a pseudo-terminal, against a gateway that the test
 * plays.
 */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeGateway, type FakeTurn } from './support/fake-gateway.ts';
import { TerminalCli, type TerminalCliOptions } from './support/terminal-cli.ts';

const CTRL = { c: '\u0003', d: '\u0004', j: '\n', r: '\u0012' };
const UP = '\u001B[A';
/** The keys that begin a new line of the same message, as terminals send them. */
const NEW_LINES = {
  'Ctrl-J': '\n',
  'a backslash before Enter': '\\\r',
  'Alt-Enter': '\u001B\r',
  "Shift-Enter in kitty's words": '\u001B[13;2u',
  "Shift-Enter in xterm's words": '\u001B[27;2;13~',
};

let gateway: FakeGateway;
const running: TerminalCli[] = [];
beforeEach(async () => {
  gateway = await FakeGateway.start();
});
afterEach(async () => {
  for (const cli of running.splice(0)) await cli.stop();
  await gateway.stop();
});

const chat = async (options: Partial<TerminalCliOptions> = {}): Promise<TerminalCli> => {
  const cli = new TerminalCli({ url: gateway.url, ...options });
  running.push(cli);
  await cli.prompts('> ');
  return cli;
};

/** Returns the screen without the line that names a turn that has ended. */
const conversation = async (cli: TerminalCli): Promise<string> =>
  (await transcript(cli)).replaceAll(/^turn [\da-f-]{36} · .*\n/gm, '');

/** Returns a screen without the lines that name the id of a turn. */
const withoutIds = (screen: string): string => screen.replaceAll(/^turn [0-9a-f][^>]*?tokens\n/gm, '');
const transcript = async (cli: TerminalCli): Promise<string> => withoutIds(await cli.terminal.text());

/** Sends a message and returns the turn that it started. */
const ask = async (cli: TerminalCli, text: string): Promise<FakeTurn> => {
  cli.type(`${text}\r`);
  return gateway.nextTurn();
};

const lines = (count: number): string => Array.from({ length: count }, (_, i) => `line ${i + 1}`).join('\n');

describe('a message', () => {
  it('200 pasted lines are one message, shown as its size, sent in full', async () => {
    const cli = await chat();
    cli.paste(lines(200));
    await cli.prompts('> [200 lines pasted]');
    cli.type(' what is this?\r');
    const turn = await gateway.nextTurn();
    expect(turn.content).toBe(`${lines(200)} what is this?`);
    turn.end();
    await cli.prompts('> ');
    expect(await transcript(cli)).toContain('> [200 lines pasted] what is this?');
    expect(gateway.turns.size).toBe(1);
  });

  it('a few pasted lines are shown as they are, and are sent only by Enter', async () => {
    const cli = await chat();
    cli.paste('one\ntwo\n');
    await cli.shows('> one\n  two\n');
    cli.type('\r');
    expect((await gateway.nextTurn()).content).toBe('one\ntwo\n');
  });

  it('goes on in a new line with every key that says so', async () => {
    const cli = await chat();
    const contents: Record<string, string> = {};
    for (const [name, keys] of Object.entries(NEW_LINES)) {
      cli.type(`one${keys}two\r`);
      const turn = await gateway.nextTurn();
      contents[name] = turn.content;
      const messages = Object.keys(contents).length;
      await cli.until((screen) => screen.split('> one\n  two').length > messages, 'the message');
      turn.end();
      await cli.prompts('> ');
    }
    for (const name of Object.keys(NEW_LINES)) expect([name, contents[name]]).toEqual([name, 'one\ntwo']);
  });

  it('is edited by the cell: wide letters, emoji and accents', async () => {
    const cli = await chat({ columns: 20 });
    cli.type('日本語👍e\u0301x');
    await cli.prompts('> 日本語👍e\u0301x');
    expect(await cli.terminal.cursor()).toMatchObject({ column: 12 });
    cli.type('\u007F\u007F\u007F');
    await cli.prompts('> 日本語');
    cli.type('\u001B[D\u001B[Da');
    await cli.prompts('> 日a本語');
    expect(await cli.terminal.cursor()).toMatchObject({ column: 5 });
    cli.type('\r');
    expect((await gateway.nextTurn()).content).toBe('日a本語');
  });

  it('is found again in the next start, by Up and by Ctrl-R', async () => {
    const stateDir = mkdtempSync(join(tmpdir(), 'orion-history-'));
    const first = await chat({ stateDir });
    (await ask(first, 'alpha one')).end();
    await first.prompts('> ');
    first.type('two\nlines\r');
    (await gateway.nextTurn()).end();
    await first.prompts('> ');
    first.type(CTRL.d);
    expect(await first.ended).toBe(0);
    const second = await chat({ stateDir });
    second.type(UP);
    await second.shows('> two\n  lines');
    second.type(`${CTRL.c}${CTRL.r}alp`);
    await second.shows('(match for "alp") alpha one');
    second.type('\r');
    expect((await gateway.nextTurn()).content).toBe('alpha one');
    rmSync(stateDir, { recursive: true });
  });

  it('can name files of a workspace on this machine with @ and Tab', async () => {
    const workspace = mkdtempSync(join(tmpdir(), 'orion-workspace-'));
    mkdirSync(join(workspace, 'src'));
    writeFileSync(join(workspace, 'src', 'calc.js'), '');
    writeFileSync(join(workspace, 'src', 'calendar.js'), '');
    const gatewayInfo = { version: '1', model: 'm', models: [], temporalUi: null, workspace, settings: null };
    await gateway.stop();
    gateway = await FakeGateway.start({ 'GET /api/info': { body: gatewayInfo } });
    const cli = await chat();
    cli.type('see @s\t');
    await cli.prompts('> see @src/');
    cli.type('cal\t');
    await cli.shows('> see @src/cal\nsrc/calc.js\nsrc/calendar.js');
    cli.type('c\t');
    await cli.prompts('> see @src/calc.js');
    cli.type('\r');
    expect((await gateway.nextTurn()).content).toBe('see @src/calc.js ');
    expect(gateway.requests.filter((request) => request === 'GET /api/info')).toHaveLength(1);
    rmSync(workspace, { recursive: true });
  });
});

describe('a message on the command line', () => {
  it('is sent first, and is in the conversation as if it had been typed', async () => {
    const cli = new TerminalCli({ url: gateway.url, args: ['what', 'is', 'this?'] });
    running.push(cli);
    const turn = await gateway.nextTurn();
    expect(turn.content).toBe('what is this?');
    turn.say('A folder.');
    turn.end();
    await cli.prompts('> ');
    expect(await conversation(cli)).toContain('\n> what is this?\nA folder.\n>');
    cli.type(UP);
    await cli.prompts('> what is this?');
  });
});

describe('Ctrl-C', () => {
  it('removes a half-typed line, on an empty line says how to leave, and then leaves', async () => {
    const cli = await chat();
    cli.type('half typed text');
    await cli.prompts('> half typed text');
    cli.type(CTRL.c);
    await cli.shows('half typed text^C\n>');
    cli.type(CTRL.c);
    await cli.shows('(Ctrl-C again to leave)\n>');
    const turn = await ask(cli, 'line one');
    expect(turn.content).toBe('line one');
    turn.end();
    await cli.prompts('> ');
    cli.type(CTRL.c);
    await cli.until((screen) => screen.split('again to leave').length === 3, 'a second hint');
    cli.type(CTRL.c);
    expect(await cli.ended).toBe(130);
  });

  it('during an answer cancels the turn and drops what was typed ahead; the last words come before its line', async () => {
    const cli = await chat();
    const turn = await ask(cli, 'go');
    turn.say('This is sentence 28');
    await cli.shows('sentence 28');
    cli.type('queued\rhalf');
    cli.type(CTRL.c);
    await turn.cancelled;
    await cli.shows('Cancelling …');
    turn.say(' of a long answer.');
    turn.end('cancelled');
    await cli.prompts('> half');
    expect(await transcript(cli)).toContain('\n> go\nThis is sentence 28 of a long answer.\nCancelled.\n');
    expect(gateway.turns.size).toBe(1);
    cli.type(UP);
    await cli.prompts('> queued');
  });

  it('twice during an answer leaves the command and lets the turn run', async () => {
    const cli = await chat();
    const turn = await ask(cli, 'go');
    turn.say('so');
    await cli.shows('\nso');
    cli.type(CTRL.c);
    await cli.shows('Cancelling …');
    cli.type(CTRL.c);
    expect(await cli.ended).toBe(130);
    const said = (await transcript(cli)).replaceAll('\n', ' ');
    expect(said).toContain(`Left; the turn is being cancelled. \`orion attach ${turn.turnId}\``);
  });
});

describe('typing during an answer', () => {
  it('does not change the answer: whole messages follow it, the rest waits at the prompt', async () => {
    const cli = await chat();
    const turn = await ask(cli, 'first');
    turn.say('Orion demo');
    await cli.shows('Orion demo');
    cli.type('second\rthi');
    await cli.shows('Orion demo\n');
    await cli.shows('› (1 waiting) thi');
    turn.say(' model, no AI behind it');
    await cli.shows('Orion demo model, no AI behind it\n');
    await cli.shows('› (1 waiting) thi');
    turn.end();
    const next = await gateway.nextTurn();
    expect(next.content).toBe('second');
    next.say('Two.');
    cli.type('rd');
    next.end();
    await cli.prompts('> third');
    expect(await conversation(cli)).toContain(
      '> first\nOrion demo model, no AI behind it\n> second\nTwo.\n> third',
    );
  });

  it('keeps a paste whole', async () => {
    const cli = await chat();
    const turn = await ask(cli, 'first');
    turn.say('Some');
    await cli.shows('Some');
    cli.paste(lines(30));
    await cli.shows('› [30 lines pasted]');
    turn.end();
    await cli.prompts('> [30 lines pasted]');
    expect(gateway.turns.size).toBe(1);
  });

  it('sends nothing more after a failure, and says so', async () => {
    const cli = await chat();
    const turn = await ask(cli, 'first');
    gateway.isRefusing = true;
    cli.type('second\rthird\rhalf');
    // Without waiting, the answer might end before the keys are read.
    await cli.shows('half');
    turn.end();
    await cli.shows('The message typed since then was not sent');
    await cli.prompts('> half');
    expect(gateway.turns.size).toBe(1);
    cli.type(UP);
    await cli.prompts('> third');
  });
});

describe('orion attach', () => {
  it('shows the turn of another terminal; Ctrl-C detaches, and the turn goes on', async () => {
    const owner = await chat();
    const turn = await ask(owner, 'go');
    turn.say('This is sentence 28');
    await owner.shows('sentence 28');
    const watcher = new TerminalCli({ url: gateway.url, args: ['attach', turn.turnId] });
    running.push(watcher);
    await watcher.shows('sentence 28');
    watcher.type(CTRL.c);
    expect(await watcher.ended).toBe(130);
    expect(await watcher.terminal.text()).toContain('This is sentence 28\nDetached; the turn goes on.');
    turn.say(' of a long answer.');
    turn.end();
    expect(await owner.prompts('> ')).toContain('> go\nThis is sentence 28 of a long answer.\n');
  });
});

describe('resizing', () => {
  it('during an answer wipes no character and draws no prompt into it', async () => {
    const cli = await chat({ columns: 60, rows: 20 });
    const turn = await ask(cli, 'go');
    const sentences = Array.from({ length: 60 }, (_, i) => `This is sentence ${i + 1} of a long answer.`);
    const sizes: readonly (readonly [number, number])[] = [
      [120, 40],
      [80, 24],
      [100, 30],
    ];
    for (const [i, sentence] of sentences.entries()) {
      turn.say(`${sentence} `);
      const size = sizes.find((_, at) => i === 15 * (at + 1));
      if (size) {
        await cli.until((screen) => screen.replaceAll(/\s/g, '').includes(`sentence${i}of`), `sentence ${i}`);
        await cli.resize(...size);
      }
    }
    turn.end();
    await cli.prompts('> ');
    const screen = await conversation(cli);
    const [, answer = ''] = /> go\n([^]*)\n> $/.exec(`${withoutIds(screen).trimEnd()} `) ?? [];
    expect(answer.replaceAll(/\s/g, '')).toBe(sentences.join('').replaceAll(' ', ''));
  });

  it('at the prompt keeps what is above it and what is typed', async () => {
    const cli = await chat({ columns: 80 });
    const turn = await ask(cli, 'go');
    turn.say('The answer stands.');
    turn.end();
    await cli.prompts('> ');
    const typed = 'a message that is longer than a narrow terminal, by some words at least';
    cli.type(typed);
    await cli.shows('words at least');
    for (const columns of [120, 100, 80]) {
      await cli.resize(columns, 24);
      cli.type('!');
      await cli.until(
        (screen) => screen.includes(`${typed}${'!'.repeat(columns === 120 ? 1 : columns === 100 ? 2 : 3)}`),
        'what was typed',
      );
    }
    await cli.resize(40, 24);
    cli.type('?\r');
    expect((await gateway.nextTurn()).content).toBe(`${typed}!!!?`);
    expect(await transcript(cli)).toContain('> go\nThe answer stands.\n');
  });
});

describe('the terminal', () => {
  it('is given back as it was, however the command ends', async () => {
    const cli = await chat();
    process.kill(cli.pid, 'SIGTERM');
    await cli.ended;
    const { written } = cli.terminal;
    expect(written.lastIndexOf('\u001B[?2004l')).toBeGreaterThan(written.lastIndexOf('\u001B[?2004h'));
    expect(written.lastIndexOf('\u001B[<u')).toBeGreaterThan(written.lastIndexOf('\u001B[>5u'));
  });

  it('shows that the gateway is away, and stops showing it once it is back', async () => {
    const cli = await chat();
    const turn = await ask(cli, 'go');
    turn.say('3 word134');
    await cli.shows('word134');
    gateway.isAway = true;
    turn.cut();
    await cli.shows('The gateway is away');
    gateway.isAway = false;
    turn.say(' word135');
    turn.end();
    await cli.prompts('> ');
    expect(await conversation(cli)).toContain('> go\n3 word134 word135\n>');
  });
});

it('only its user can read the history of the command', async () => {
  const stateDir = mkdtempSync(join(tmpdir(), 'orion-history-'));
  const cli = await chat({ stateDir });
  (await ask(cli, '"quoted')).end();
  await cli.prompts('> ');
  expect(readFileSync(join(stateDir, 'orion', 'history'), 'utf8')).toBe('"\\"quoted"\n');
  rmSync(stateDir, { recursive: true });
});
