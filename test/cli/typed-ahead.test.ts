/**
 * Tests keys that are pressed while nothing reads them: before the prompt is there, and in `orion -p` and `orion
 * attach`.
 */
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { FakeGateway } from './support/fake-gateway.ts';
import { TerminalCli } from './support/terminal-cli.ts';

let gateway: FakeGateway;
let cli: TerminalCli;
beforeEach(async () => {
  gateway = await FakeGateway.start();
});
afterEach(async () => {
  await cli.stop();
  await gateway.stop();
});

/** A shell script that reads the next line, and prints whether its terminal shows what is typed. */
const SHELL = 'echo "rc $?"; read -r line; echo "the shell got: $line"; stty -a';
const withShell = (...args: string[]): TerminalCli =>
  new TerminalCli({ url: gateway.url, args, afterwards: SHELL });

/**
 * Types a text and writes after it, because a key press that the kernel echoes is on the screen before later output.
 */
const typeInto = async (typed: string, say: (text: string) => void): Promise<void> => {
  say('The answer ');
  await cli.shows('The answer');
  cli.type(typed);
  say('goes on.');
  await cli.shows('goes on.');
};

it('do not change the answer of -p and wait for the shell', async () => {
  cli = withShell('-p', 'hello');
  const turn = await gateway.nextTurn();
  await typeInto('ls -l\r', (text) => turn.say(text));
  turn.end();
  const screen = await cli.shows('the shell got: ls -l');
  expect(screen).toContain('The answer goes on.');
  expect(screen.match(/ls -l/g)).toHaveLength(1);
  expect(await cli.shows('iexten')).toMatch(/ echo /);
});

it('do not change the answer of attach, and Ctrl-C still reaches it', async () => {
  const owner = new TerminalCli({ url: gateway.url, args: ['-p', 'hello'] });
  const turn = await gateway.nextTurn();
  try {
    cli = withShell('attach', turn.turnId);
    await typeInto('half', (text) => turn.say(text));
    cli.type('\u0003');
    const screen = await cli.shows('Detached; the turn goes on.');
    expect(screen).toContain('The answer goes on.');
    await cli.shows('rc 130');
    cli.type('line\r');
    await cli.shows('the shell got:');
    expect(await cli.shows('iexten')).toMatch(/ echo /);
  } finally {
    await owner.stop();
  }
});

it('letters typed ahead are shown again when the command is ended from outside', async () => {
  cli = withShell('-p', 'hello');
  const turn = await gateway.nextTurn();
  turn.say('The answer ');
  await cli.shows('The answer');
  const [child] = readFileSync(`/proc/${cli.pid}/task/${cli.pid}/children`, 'utf8').split(' ');
  process.kill(Number(child), 'SIGTERM');
  await cli.shows('rc 143');
  cli.type('line\r');
  expect(await cli.shows('iexten')).toMatch(/ echo /);
});

it('typed before the prompt are a message for each Enter; once it is there, Ctrl-J begins a line', async () => {
  cli = new TerminalCli({ url: gateway.url });
  cli.type('hello\rhalf');
  const turn = await gateway.nextTurn();
  expect(turn.content).toBe('hello');
  turn.end();
  await cli.prompts('> half');
  cli.type(' a\nline\r');
  const next = await gateway.nextTurn();
  expect(next.content).toBe('half a\nline');
  next.end();
  await cli.prompts('> ');
  cli.type('/quit\r');
  expect(await cli.ended).toBe(0);
});
