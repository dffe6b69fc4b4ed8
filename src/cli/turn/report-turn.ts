import { WRITE_SESSION_TEXTS } from '../../contracts/write-session-texts.ts';
import type { TerminalEvent } from '../../contracts/turn-event.ts';
import type { CliContext } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { beginFailureLine } from '../write/write-failure.ts';
import { exitCodeOf } from './turn-exit.ts';
import type { OutputFormat, TurnReport } from './show-turn.ts';

export interface ReportedTurn {
  readonly turnId: string;
  readonly projectId: string;
  readonly conversationId: string;
  readonly format: OutputFormat;
  readonly report: TurnReport;
}

/** Says how a turn ended where its answer does not, and returns the exit code. */
export const reportTurn = ({ screen }: Pick<CliContext, 'screen'>, turn: ReportedTurn): ExitCode => {
  const { end } = turn.report;
  screen.clearStatus();
  if (end.kind === 'left') {
    screen.say(`Left. \`orion attach ${turn.turnId}\` shows how the turn goes on.`);
    return EXIT.interrupted;
  }
  if (end.interrupted && exitCodeOf(end.terminal) === EXIT.interrupted) screen.mention('Cancelled.');
  if (end.terminal.type === 'error') screen.say(`Error: ${end.terminal.message} (${end.terminal.code})`);
  for (const line of refusedBeginLines(turn.report.refusedBegin)) screen.say(line);
  if (turn.format === 'json') screen.answer(`${JSON.stringify(resultOf(turn, end.terminal))}\n`);
  return end.interrupted ? EXIT.interrupted : codeOf(end.terminal, turn.report);
};

const refusedBeginLines = (refused: TurnReport['refusedBegin']): readonly string[] => {
  if (refused === undefined) return [];
  return [beginFailureLine(refused.error), ...(refused.reason === undefined ? [] : [refused.reason])];
};

/** What `--output-format json` prints. */
const resultOf = ({ turnId, projectId, conversationId }: ReportedTurn, terminal: TerminalEvent) => {
  const ids = { turnId, projectId, conversationId };
  if (terminal.type === 'error')
    return { ...ids, status: 'failed', error: terminal.message, code: terminal.code };
  const { status, reason, fullContent, usage } = terminal;
  return { ...ids, status, reason, content: fullContent, usage };
};

/** A turn that was answered without its file being written has not done what was asked. */
const codeOf = (terminal: TerminalEvent, { writes, refusedBegin }: TurnReport): ExitCode => {
  const code = exitCodeOf(terminal);
  if (code !== EXIT.done && code !== EXIT.forced) return code;
  const outcomes = [...writes.outcomes.values()];
  const failed = outcomes.find(({ kind }) => kind !== 'committed');
  if (failed) return failed.kind === 'failed' ? failed.exitCode : EXIT.failed;
  const wasInTheWay = refusedBegin?.error === WRITE_SESSION_TEXTS.sessionActive && outcomes.length === 0;
  return wasInTheWay ? EXIT.session : code;
};
