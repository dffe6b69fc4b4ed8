/** The terminal obeys no control sequence that people, models, tools, files or servers put into their texts. */
import fc from 'fast-check';
import { afterEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { createInterrupts, systemTimers, type CliProcess } from '../../src/cli/process/cli-process.ts';
import { createColors } from '../../src/cli/render/colors.ts';
import { LiveAnswer } from '../../src/cli/render/live-answer.ts';
import { safeForTerminal, safeInLine, SafeText } from '../../src/base/text/safe-for-terminal.ts';
import { runCli } from '../../src/cli/run-cli.ts';
import { FakeGateway, FakeTurn } from './support/fake-gateway.ts';
import { TestTerminal } from './support/test-terminal.ts';
import { partOf } from '../support/part-of.ts';

const CORPUS = [
  '\u001B]52;c;ZXZpbA==\u0007', // This sequence writes to the clipboard.
  '\u001B]0;title\u001B\\',
  '\u001B]8;;https://evil.example\u001B\\here\u001B]8;;\u001B\\',
  '\u001B[2J\u001B[H',
  '\u001B[8mhidden',
  '\u001BP+q544e\u001B\\',
  '\u009D52;c;ZXZpbA==\u009C',
  '\u009B31m',
  '\u0085\u0090\u009F',
  'a\rb',
  'a\bb',
  '\u000B\u000C\u0007\u0000\u007F',
  '\u202Egnp.exe',
  '\u2066a\u2069\u2067b\u2068c\u202A\u202B\u202C\u202D',
  'a\u200Bb\u200Ec\u200Fd\u2060e\uFEFF',
  'a\u200Db\u200Cc',
  '\u2028\u2029',
  '\u{E0001}\u{E0041}',
  '\uFFF9a\uFFFAb\uFFFB',
  '\u115F\u3164\uFFA0',
  '\u061C\u180E\u00AD',
] as const;
const HOSTILE = CORPUS.join('x');

/** The sequences that Orion itself writes: colours, and cursor moves that take text back. */
const OWN = /\u001B\[(?:[\d;]*m|\d*[ACJK])|\r/g;
const MARKED =
  /[[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\uFFF9-\uFFFB]--[\n\t\p{Variation_Selector}]]/v;

/**
 * Expects no control sequences other than those that Orion writes itself. Two sequences of the corpus have the form of
 * Orion's own, so they are looked for by themselves.
 */
const expectHarmless = (written: string): void => {
  expect(written).not.toContain('\u001B[8m');
  expect(written).not.toContain('\u001B[2J');
  expect(MARKED.exec(written.replaceAll(OWN, ''))).toBeNull();
};

describe('text of others', () => {
  it.each(CORPUS)('%j shows as it is, in escapes', (text) => {
    expectHarmless(safeForTerminal(text));
    expect(safeForTerminal(safeForTerminal(text))).toBe(safeForTerminal(text));
  });

  it('names the characters that it hides', () => {
    expect(safeForTerminal('a\u001B]0;t\u0007b\tc\r\nd\re\u202Ef\u{E0001}')).toBe(
      'a\\u001b]0;t\\u0007b\tc\nd\\u000de\\u202ef\\u{e0001}',
    );
    expect(safeInLine('a\nb\tc')).toBe('a\\u000ab\\u0009c');
  });

  it.each(['👩‍👩‍👧', '❤️', 'می‌خواهم', 'क्‍ष', 'naïve 日本語'])('leaves %s as its writers need it', (text) => {
    expect(safeForTerminal(text)).toBe(text);
  });

  it('is the same however it is cut', () => {
    const texts = fc.array(fc.constantFrom(...CORPUS, 'é', '👩‍👩‍👧', '\r\n', 'می‌خ', '\uD83D', 'word'));
    fc.assert(
      fc.property(texts, fc.array(fc.nat()), (parts, cuts) => {
        const text = parts.join('');
        const points = [0, ...cuts.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b), text.length];
        const safe = new SafeText();
        const pieces = points.slice(1).map((end, i) => safe.feed(text.slice(points[i], end)));
        expect(pieces.join('') + safe.end()).toBe(safeForTerminal(text));
      }),
    );
  });
});

describe('a screen', () => {
  it('lets only its own colours through', () => {
    const terminal = new TestTerminal(80, 24);
    const colors = createColors(true);
    const screen = terminal.screen(colors);
    screen.report(`${colors.green('✓')} \u001B[32mnot ours\u001B[39m`);
    expect(terminal.written).toBe('\u001B[32m✓\u001B[39m \\u001b[32mnot ours\\u001b[39m\n');
  });

  it.each(CORPUS)('lets nothing of %j through, however it is told', (text) => {
    const terminal = new TestTerminal(40, 24);
    const screen = terminal.screen(createColors(true));
    screen.report(text);
    screen.reportDimmed(text);
    screen.showStatus(text);
    screen.showNotice(text);
    screen.pinNotice(text);
    screen.clearStatus();
    screen.write(text);
    expectHarmless(terminal.written);
  });

  it('renders an answer of such text, wherever it is cut', () => {
    const forms = [
      (text: string) => text,
      (text: string) => `# ${text}\n\n- \`${text}\`\n`,
      (text: string) => `[${text}](${text})\n`,
    ];
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...CORPUS)),
        fc.constantFrom(...forms),
        fc.integer({ min: 1, max: 9 }),
        (parts, form, size) => {
          const terminal = new TestTerminal(40, 24);
          const answer = new LiveAnswer(terminal.screen(createColors(true)));
          const text = form(parts.join(''));
          for (let i = 0; i < text.length; i += size) answer.write(text.slice(i, i + size));
          answer.end();
          expectHarmless(terminal.written);
        },
      ),
    );
  });
});

const TURN = randomUUID();
const SESSION = randomUUID();
const AT = '2026-01-01T00:00:00.000Z';

const session = {
  session_id: SESSION,
  stage: 'awaiting_content',
  target_file: HOSTILE,
  operation: 'create',
  created_at: AT,
};
const message = {
  id: '1',
  turnId: TURN,
  parentTurnId: null,
  projectId: 'p',
  sender: 'user',
  metadata: {},
  createdAt: AT,
};
const trace = {
  id: '1',
  projectId: 'p',
  requestId: TURN,
  type: 'tool_call',
  source: 'tool',
  details: {},
  phaseIndex: 0,
  cycleIndex: 0,
  metadata: null,
  createdAt: AT,
};
const status = {
  turnId: TURN,
  projectId: 'p',
  conversationId: HOSTILE,
  status: 'completed',
  reason: 'answered',
  protocol: 'two_stage',
  mode: 'act',
  phase: 0,
  cycle: 0,
  budgets: {
    maxPhaseCycles: 3,
    maxDuplicateAttempts: 3,
    maxToolsPerToolPhase: 1,
    maxMalformedCalls: 3,
    maxRefusals: 3,
    maxNoProgress: 6,
    maxTurnMs: 1,
    maxTurnTokens: 1,
    debugShowToolResults: false,
  },
  usage: null,
  waste: { duplicatesRefused: 0, retriedTokens: 0, discardedCharacters: 0 },
  cost: null,
  content: HOSTILE,
  cancelledBy: HOSTILE,
  temporalUrl: null,
  startedAt: AT,
  endedAt: AT,
};

const lastTurn = { turnId: HOSTILE, status: 'running' };
const chat = {
  conversationId: HOSTILE,
  title: HOSTILE,
  lastTurn,
  cost: null,
  wastedCost: 0,
  turns: 1,
  startedAt: AT,
  updatedAt: AT,
};

const ANSWERS = {
  'GET /api/conversations': { body: { conversations: [chat], more: false } },
  'GET /api/chat/messages': {
    body: {
      messages: [{ ...message, conversationId: HOSTILE, content: HOSTILE }],
      total: 1,
      nextOffset: null,
    },
  },
  'GET /api/write-session': { body: { sessions: [{ ...session, ended_at: null, undone_at: null }] } },
  [`GET /api/write-session/status/${SESSION}`]: {
    body: { ...session, last_activity: AT, expires_at: AT, draft_bytes: 0 },
  },
  'POST /api/write-session/begin': {
    body: { ...session, session_id: HOSTILE, instruction: HOSTILE, expires_at: AT },
  },
  [`DELETE /api/write-session/${SESSION}`]: { body: { message: HOSTILE } },
  [`POST /api/write-session/${SESSION}/undo`]: {
    status: 409,
    body: { error: HOSTILE, code: HOSTILE, details: HOSTILE },
  },
  [`PUT /api/write-session/${SESSION}/content`]: {
    body: {
      intent: HOSTILE,
      results: [
        {
          operation_index: 0,
          type: 'create',
          target_file: HOSTILE,
          status: 'success',
          bytes: 1,
          lines: 1,
          sha256: HOSTILE,
          error: null,
        },
      ],
    },
  },
  [`GET /api/turns/${TURN}`]: { body: status },
  [`POST /api/turns/${TURN}/cancel`]: {
    status: 400,
    body: { error: HOSTILE, code: 'bad_request', details: { turnId: HOSTILE } },
  },
  'GET /api/trace/logs': {
    body: {
      events: [
        { ...trace, summary: HOSTILE, error: null },
        { ...trace, summary: HOSTILE, error: HOSTILE },
      ],
      total: 2,
      nextOffset: null,
    },
  },
};

describe('every command', () => {
  let gateway: FakeGateway | undefined;
  const home = mkdtempSync(join(tmpdir(), 'orion-hostile-'));
  afterEach(async () => gateway?.stop());
  const run = async (
    argv: readonly string[],
    play?: (asked: FakeGateway) => Promise<void>,
  ): Promise<string> => {
    gateway = await FakeGateway.start(ANSWERS);
    gateway.turns.set(TURN, endedTurn(TURN));
    const terminal = new TestTerminal(80, 24);
    const stdin = partOf<CliProcess['stdin']>(Object.assign(new PassThrough(), { isTTY: false }));
    stdin.push(null);
    const output = { stdout: terminal.output(), stderr: terminal.output() };
    const interrupts = createInterrupts(() => undefined);
    const env = { ORION_URL: gateway.url, XDG_STATE_HOME: home, RETRY_DELAY_MS: '1' };
    const ended = runCli(argv, { stdin, ...output, timers: systemTimers, interrupts }, () => env);
    await Promise.all([ended, play?.(gateway)]);
    expectHarmless(terminal.written);
    return terminal.written;
  };

  const endedTurn = (turnId: string): FakeTurn => {
    const turn = new FakeTurn(turnId, HOSTILE, {});
    playHostileTurn(turn);
    turn.end('cancelled');
    return turn;
  };

  const playTurn = async (asked: FakeGateway): Promise<void> => {
    const turn = await asked.nextTurn();
    playHostileTurn(turn);
    turn.send({ type: 'error', code: 'internal_error', message: HOSTILE });
  };

  /** Plays a turn in which everything that can be named has a hostile name. */
  const playHostileTurn = (turn: FakeTurn): void => {
    const call = {
      id: HOSTILE,
      type: 'function',
      function: { name: HOSTILE, arguments: `{"path":"${HOSTILE}"}` },
    } as const;
    turn.send({ type: 'phase', phase: 'action', index: 0, cycle: 0 });
    turn.say(`# ${HOSTILE}\n\n${HOSTILE}`);
    turn.send({ type: 'chunk', content: HOSTILE, notice: 'tool_result' });
    turn.send({ type: 'tool_calls', calls: [call] });
    for (const ok of [true, false]) {
      turn.send({
        type: 'tool_result',
        callId: HOSTILE,
        name: HOSTILE,
        ok,
        durationMs: 1,
        bytes: 1,
        content: HOSTILE,
      });
    }
    const file = {
      type: 'write_session',
      sessionId: HOSTILE,
      target: HOSTILE,
      bytes: 1,
      lines: 1,
      sha256: HOSTILE,
    } as const;
    turn.send({ ...file, stage: 'begun' });
    turn.say(HOSTILE);
    turn.output(`${HOSTILE}\n`);
    turn.ask({ message: HOSTILE, arguments: HOSTILE, diff: `--- a\n+++ a\n@@ -1 +1 @@\n+${HOSTILE}` });
    turn.resolve('deny', { name: HOSTILE, note: HOSTILE });
    for (const stage of ['open', 'failed', 'committed'] as const) {
      turn.send({ ...file, sessionId: randomUUID(), stage, error: HOSTILE });
    }
  };

  it.each([
    [['sessions']],
    [['sessions', '--json']],
    [['trace', TURN]],
    [['trace', TURN, '--json']],
    [['cancel', TURN]],
    [['attach', TURN]],
    [['write', 'begin', '--target', 'a', '--operation', 'create']],
    [['write', 'status', SESSION]],
    [['write', 'cancel', SESSION]],
    [['write', 'undo', SESSION]],
  ])('%j prints nothing that a terminal obeys', async (argv) => {
    // The text is shown, with its control characters escaped.
    expect(await run(argv)).toMatch(/\\u001b|\\u202e/);
  });

  it.each([[[]], [['--output-format', 'json']], [['--output-format', 'stream-json']], [['-v']]])(
    'a prompt with %j prints nothing that a terminal obeys',
    async (flags) => {
      expect(await run(['-p', 'ask', ...flags], playTurn)).toContain('\\u001b');
    },
  );

  it('`write recover` prints nothing that a terminal obeys', async () => {
    const folder = join(home, 'orion', 'write-sessions');
    mkdirSync(folder, { recursive: true });
    gateway = await FakeGateway.start();
    const kept = { sessionId: SESSION, turnId: null, projectId: 'p', operation: 'create', complete: false };
    const { url } = gateway;
    writeFileSync(join(folder, `${SESSION}.json`), JSON.stringify({ ...kept, url, target: HOSTILE }));
    const terminal = new TestTerminal(80, 24);
    const stdin = partOf<CliProcess['stdin']>(Object.assign(new PassThrough(), { isTTY: false }));
    const output = { stdout: terminal.output(), stderr: terminal.output() };
    const interrupts = createInterrupts(() => undefined);
    await runCli(['write', 'recover'], { stdin, ...output, timers: systemTimers, interrupts }, () => ({
      ORION_URL: url,
      XDG_STATE_HOME: home,
    }));
    expectHarmless(terminal.written);
    rmSync(home, { recursive: true, force: true });
  });
});

describe('an answer in a pipe', () => {
  it('is what the model said, to the byte', async () => {
    const gateway = await FakeGateway.start();
    let stdout = '';
    const stdin = partOf<CliProcess['stdin']>(Object.assign(new PassThrough(), { isTTY: false }));
    stdin.push(null);
    const output = { stdout: { write: (text: string) => (stdout += text) }, stderr: { write: () => true } };
    const interrupts = createInterrupts(() => undefined);
    const env = { ORION_URL: gateway.url, XDG_STATE_HOME: tmpdir() };
    const ended = runCli(['-p', 'ask'], { stdin, ...output, timers: systemTimers, interrupts }, () => env);
    const turn = await gateway.nextTurn();
    turn.say(HOSTILE);
    turn.end();
    await ended;
    await gateway.stop();
    expect(stdout).toBe(`${HOSTILE}\n`);
  });
});
