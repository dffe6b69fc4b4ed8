/** Tests keys that came while nothing read them, in an order that a pseudo-terminal does not guarantee. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { PassThrough } from 'node:stream';
import { LineSource } from '../../../src/cli/prompt-line/line-source.ts';
import type { TypedLine } from '../../../src/cli/prompt-line/typed-line.ts';
import { createInterrupts } from '../../../src/cli/process/cli-process.ts';
import type { Screen } from '../../../src/cli/render/screen.ts';
import { TestTerminal } from '../support/test-terminal.ts';
import { partOf } from '../../support/part-of.ts';

describe('what is typed while nothing reads it', () => {
  let terminal: TestTerminal;
  let lines: LineSource;
  let screen: Screen;
  let input: PassThrough;
  let raised: number;
  /** Called with everything that is written to the terminal. */
  let onWrite: (text: string) => void;
  const sent: string[] = [];
  /** The functions to call when the typist pauses. */
  const pauses = new Set<() => void>();

  beforeEach(() => {
    terminal = new TestTerminal(60, 20);
    raised = 0;
    onWrite = () => undefined;
    screen = terminal.screen();
    sent.length = 0;
    pauses.clear();
    input = Object.assign(new PassThrough(), { setRawMode: () => input });
    const { columns = 0, rows = 0 } = terminal.output();
    const write = (text: string): void => {
      terminal.write(text);
      onWrite(text);
    };
    lines = new LineSource({
      input: partOf<NodeJS.ReadStream>(input),
      output: { columns, rows, write, on: () => undefined, off: () => undefined },
      screen,
      interrupts: createInterrupts(() => (raised += 1)),
      after: (_ms, run) => {
        pauses.add(run);
        return () => void pauses.delete(run);
      },
      history: [],
      initialMessages: [],
      complete: (before) => ({ replaces: before, candidates: [] }),
      onSent: (text) => sent.push(text),
    });
  });
  afterEach(() => lines.close());

  /** Resolves once this text has been written. */
  const untilWritten = (text: string): Promise<void> =>
    new Promise((resolve) => {
      onWrite = (part) => void (part.includes(text) && resolve());
    });
  const type = (keys: string): void => void input.emit('data', Buffer.from(keys));
  const lineOf = (typed: TypedLine): unknown => (typeof typed === 'object' ? typed.line : typed);

  it('is read line by line; blank lines are skipped', async () => {
    type('one\r\r  \rtwo\rth');
    expect(lineOf(await lines.next('> '))).toBe('one');
    expect(lineOf(await lines.next('> '))).toBe('two');
    const third = lines.next('> ');
    type('ree\r');
    expect(lineOf(await third)).toBe('three');
    expect(await terminal.text()).toBe('> one\n> two\n> three');
    expect(sent.filter((text) => text.trim() !== '')).toEqual(['one', 'two', 'three']);
  });

  it('is dropped by Ctrl-C, except what was not sent', async () => {
    type('one\rtwo\rhalf\u0003');
    expect(raised).toBe(1);
    const next = lines.next('> ');
    await untilWritten('> half');
    expect(await terminal.text()).toBe('> half');
    type('\r');
    expect(lineOf(await next)).toBe('half');
  });

  it('is cleared by Escape, which then interrupts once', () => {
    const escape = '\u001B[27u';
    type(`one\rhalf${escape}`);
    expect(raised).toBe(0);
    type(escape);
    type(escape);
    expect(raised).toBe(1);
    expect(lines.clearTypeAhead()).toBe(0);
  });

  it('ends the conversation with Ctrl-D once what came before is done', async () => {
    type('one\r\u0004');
    expect(lineOf(await lines.next('> '))).toBe('one');
    expect(await lines.next('> ')).toBe('eof');
  });

  it('is only what came before the prompt: Ctrl-J in the moment that it appears begins a line', async () => {
    onWrite = (text) => {
      if (!text.includes('> ')) return;
      onWrite = () => undefined;
      type('one\ntwo\r');
    };
    expect(lineOf(await lines.next('> '))).toBe('one\ntwo');
  });

  it('gives way to a status line at the prompt, and comes back', async () => {
    const next = lines.next('> ');
    await untilWritten('> ');
    type('half');
    screen.report('late news');
    expect(await terminal.text()).toBe('late news\n> half');
    type('\r');
    expect(lineOf(await next)).toBe('half');
    expect(await terminal.text()).toBe('late news\n> half');
  });

  describe('while a request waits', () => {
    const said: string[] = [];
    const asking = new AbortController();
    const ask = async (keys?: readonly string[]) => {
      said.length = 0;
      const steer = (message: string): boolean => said.push(message) > 0;
      lines.setTurn({ pendingCount: 0, steer, interruptModel: () => false, dropPending: () => undefined });
      const typed = lines.readReply({ prompt: 'y, n > ', ...(keys && { keys }), signal: asking.signal });
      await untilWritten('y, n > ');
      return { typed };
    };
    const pause = (): void => {
      for (const run of [...pauses].splice(0)) {
        pauses.delete(run);
        run();
      }
    };

    it('answers it by a single letter, and not by the first letter of a word', async () => {
      const { typed } = await ask(['y', 'n']);
      type('n');
      expect(pauses.size).toBe(1);
      type('ot yet\r');
      expect([pauses.size, said]).toEqual([0, ['not yet']]);
      type('y');
      expect(said).toEqual(['not yet']);
      pause();
      expect(await typed).toEqual({ line: 'y', displayText: 'y' });
      expect(sent).toEqual([]);
    });

    it('answers it by no paste and no letter that was there before', async () => {
      type('y');
      const { typed } = await ask(['y', 'n']);
      type('\u0001');
      type('\u0015\u000b');
      type('\u001B[200~y\u001B[201~');
      expect(pauses.size).toBe(0);
      type('\r');
      expect(await typed).toEqual({ line: 'y', displayText: 'y' });
    });

    it('takes any line where it names no letters, and nothing once it is taken back', async () => {
      const { typed } = await ask();
      type('words\r');
      expect(await typed).toMatchObject({ line: 'words' });
      const again = await ask(['y']);
      type('y');
      asking.abort();
      expect(await again.typed).toBe('withdrawn');
      expect(pauses.size).toBe(0);
    });
  });
});
