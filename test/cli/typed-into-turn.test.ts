/**
 * Tests that what is typed while a turn runs goes into the turn, in a pseudo-terminal, and `orion steer` from another
 * one.
 */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeGateway, type FakeTurn } from './support/fake-gateway.ts';
import { TerminalCli } from './support/terminal-cli.ts';

/** The Escape key, as sent by terminals that distinguish it from the beginning of another key. */
const ESCAPE = '\u001B[27u';

let gateway: FakeGateway;
let cli: TerminalCli;
let turn: FakeTurn;
beforeEach(async () => {
  gateway = await FakeGateway.start();
  cli = new TerminalCli({ url: gateway.url });
  await cli.prompts('> ');
  cli.type('first\r');
  turn = await gateway.nextTurn();
  turn.isListening = true;
  turn.say('One');
  await cli.shows('One');
});
afterEach(async () => {
  await cli.stop();
  await gateway.stop();
});

describe('a message that is typed while a turn runs', () => {
  it('goes into the turn, waits below the answer, and is then shown where the model has read it', async () => {
    cli.type('and briefly\r');
    const [message] = await turn.untilHeard(1);
    expect(message).toMatchObject({ content: 'and briefly', when: 'boundary' });
    await cli.shows('(1 waiting)');
    turn.apply(message?.messageId ?? '', 'and briefly');
    turn.say('Two');
    turn.end();
    await cli.prompts('> ');
    const screen = await cli.terminal.text();
    expect(screen).toMatch(/One\n> and briefly\nTwo/);
    expect(screen).not.toContain('waiting');
    expect(gateway.turns.size).toBe(1);
  });

  it('is read at once when Escape is pressed, which cancels nothing then', async () => {
    cli.type('and briefly\r');
    const [first] = await turn.untilHeard(1);
    cli.type(ESCAPE);
    const [, second] = await turn.untilHeard(2);
    expect(second).toEqual({ ...first, when: 'now' });
    turn.apply(first?.messageId ?? '', 'and briefly');
    turn.say('Two');
    await cli.shows('Two');
    expect(gateway.requests.some((request) => request.includes('/cancel'))).toBe(false);
    cli.type(ESCAPE);
    await turn.cancelled;
    turn.end('cancelled');
    await cli.prompts('> ');
  });

  it('is in the input line again when the turn ended before it was read', async () => {
    cli.type('and briefly\r');
    const [message] = await turn.untilHeard(1);
    cli.type('half');
    await cli.shows('(1 waiting) half');
    turn.end('cancelled', [message?.messageId ?? '']);
    await cli.shows('> and briefly\n  half');
    expect(gateway.turns.size).toBe(1);
  });

  it('is the next question when the turn no longer takes messages', async () => {
    turn.isListening = false;
    cli.type('second\r');
    turn.end();
    const next = await gateway.nextTurn();
    expect(next.content).toBe('second');
    next.end();
    await cli.prompts('> ');
  });

  it('stays a command of the prompt where it is one', async () => {
    cli.type('/help\r');
    await cli.shows('(1 waiting)');
    turn.end();
    await cli.shows('what there is');
    expect(turn.messages).toEqual([]);
  });
});

describe('orion steer', () => {
  it('sends a message into a turn of another terminal', async () => {
    const other = new TerminalCli({
      url: gateway.url,
      args: ['steer', turn.turnId, 'leave', 'the tests', '--now'],
    });
    await other.shows('The turn has it.');
    expect(await other.ended).toBe(0);
    await other.stop();
    expect(turn.messages).toMatchObject([{ content: 'leave the tests', when: 'now' }]);
    turn.end();
    await cli.prompts('> ');
  });

  it('says why a turn does not take it', async () => {
    turn.isListening = false;
    const other = new TerminalCli({ url: gateway.url, args: ['steer', turn.turnId, 'late'] });
    await other.shows('The turn has ended.');
    expect(await other.ended).not.toBe(0);
    await other.stop();
    turn.end();
    await cli.prompts('> ');
  });
});
