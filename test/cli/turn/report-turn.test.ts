import { describe, expect, it } from '@jest/globals';
import type { CliContext } from '../../../src/cli/command-context/cli-context.ts';
import { type ReportedTurn, reportTurn } from '../../../src/cli/turn/report-turn.ts';
import type { TerminalEvent } from '../../../src/contracts/wire/turn-event.ts';
import { partOf } from '../../support/part-of.ts';

const context = partOf<CliContext>({
  cliProcess: { stdout: {}, stderr: {} },
  screen: { clearStatus: () => undefined, report: () => undefined, reportDimmed: () => undefined },
});

const turnOf = (terminal: TerminalEvent, isDenied: boolean): ReportedTurn => ({
  turnId: 't',
  projectId: 'p',
  conversationId: 'c',
  format: 'text',
  ownership: 'own',
  report: {
    end: { kind: 'ended', terminal, wasInterrupted: false },
    writes: { outcomes: new Map(), refusedOutcome: undefined },
    refusedBegin: undefined,
    isDenied,
  },
});

const codeOf = (terminal: TerminalEvent, isDenied: boolean) =>
  reportTurn(context, turnOf(terminal, isDenied));

const doneEvent = (reason: 'answered' | 'refusals'): TerminalEvent => ({
  type: 'done',
  fullContent: '',
  status: 'completed',
  reason,
  usage: { promptTokens: 0, completionTokens: 0 },
});

describe('the result of a turn for programs', () => {
  it('names the messages that no model has read', async () => {
    const answers: string[] = [];
    const screen = { ...context.screen, write: (text: string) => void answers.push(text) };
    const terminal: TerminalEvent = { ...doneEvent('answered'), unapplied: ['m-1'] };
    await reportTurn(partOf<CliContext>({ ...context, screen }), {
      ...turnOf(terminal, false),
      format: 'json',
    });
    expect(JSON.parse(answers.join(''))).toMatchObject({ status: 'completed', unapplied: ['m-1'] });
  });
});

describe('the exit code of a turn', () => {
  it('is 6 when what it asked for was denied, unless it failed', async () => {
    expect(await codeOf(doneEvent('answered'), false)).toBe(0);
    expect(await codeOf(doneEvent('answered'), true)).toBe(6);
    expect(await codeOf(doneEvent('refusals'), true)).toBe(6);
    expect(await codeOf({ type: 'error', code: 'internal_error', message: '' }, true)).toBe(1);
  });
});
