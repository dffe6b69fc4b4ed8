import type { TerminalEvent } from '../../contracts/wire/turn-event.ts';
import { WRITE_SESSION_TEXTS } from '../../contracts/write-session/write-session-texts.ts';
import type { CliContext } from '../command-context/cli-context.ts';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import { beginFailureLine } from '../write-session/write-failure.ts';
import type { OutputFormat, TurnReport } from './show-turn.ts';
import type { TurnOwnership } from './watch-turn.ts';
import { jsonLine } from '../render/output.ts';

/** A turn that was shown, with its outcome. */
export interface ReportedTurn {
  readonly turnId: string;
  readonly projectId: string;
  readonly conversationId: string;
  readonly format: OutputFormat;
  readonly ownership: TurnOwnership;
  readonly report: TurnReport;
}

/**
 * Reports how a turn ended, unless its answer shows that. In the format `text` it may add the id of the turn; in `json`
 * it writes the result. Returns the exit code.
 */
export const reportTurn = async (context: CliContext, turn: ReportedTurn): Promise<ExitCode> => {
  const { screen } = context;
  const { end } = turn.report;
  screen.clearStatus();
  if (end.kind === 'left') {
    screen.report(detachedLine(turn.turnId, end.isCancelling));
    return EXIT.interrupted;
  }
  if (isCancelled(end.terminal)) {
    screen.reportDimmed(end.wasInterrupted ? 'Cancelled.' : await describeCanceller(context, turn.turnId));
  }
  if (end.terminal.type === 'error') screen.report(`Error: ${end.terminal.message} (${end.terminal.code})`);
  for (const line of refusedBeginLines(turn.report.refusedBegin)) screen.report(line);
  if (turn.format === 'text' && showsTurnId(context)) screen.reportDimmed(idLine(turn.turnId, end.terminal));
  if (turn.format === 'json') screen.write(jsonLine(resultOf(turn, end.terminal)));
  return end.wasInterrupted ? EXIT.interrupted : exitCodeOfTurn(end.terminal, turn.report);
};

const refusedBeginLines = (refused: TurnReport['refusedBegin']): readonly string[] => {
  if (refused === undefined) return [];
  return [beginFailureLine(refused.error), ...(refused.reason === undefined ? [] : [refused.reason])];
};

const detachedLine = (turnId: string, isCancelling: boolean | undefined): string => {
  const attach = `\`orion attach ${turnId}\``;
  const cancel = `\`orion cancel ${turnId}\``;
  if (isCancelling === undefined) {
    return `Detached; the turn goes on. ${attach} shows it again, ${cancel} stops it.`;
  }
  return isCancelling
    ? `Left; the turn is being cancelled. ${attach} shows how it ends.`
    : `Left; the turn may go on. ${cancel} stops it, ${attach} shows it again.`;
};

const isCancelled = (terminal: TerminalEvent): boolean =>
  terminal.type === 'done' && terminal.status === 'cancelled';

/** Returns the line that says who has cancelled a turn which this terminal did not cancel. */
const describeCanceller = async ({ turns }: CliContext, turnId: string): Promise<string> => {
  const by = await turns.readStatus(turnId).then(
    ({ cancelledBy }) => cancelledBy,
    // The turn has ended; not knowing who ended it is no failure.
    () => undefined,
  );
  if (by === undefined) return 'The turn was cancelled by somebody else.';
  if (by === null) return 'The turn was cancelled from outside Orion (in Temporal).';
  return by === 'local'
    ? 'The turn was cancelled by another program or terminal of this machine.'
    : `The turn was cancelled with the key ${by}.`;
};

/** Reports whether the id of the turn is printed. A person who watches may need it later, and programs ask for JSON. */
const showsTurnId = ({ isVerbose, cliProcess: { stdout, stderr } }: CliContext): boolean =>
  isVerbose || (stderr.isTTY === true && stdout.isTTY === true);

const idLine = (turnId: string, terminal: TerminalEvent): string => {
  if (terminal.type === 'error') return `turn ${turnId}`;
  const { promptTokens, completionTokens, cachedTokens = 0 } = terminal.usage;
  const cached = cachedTokens === 0 ? '' : `, ${cachedTokens.toLocaleString('en-US')} of them cached`;
  return `turn ${turnId} · ${(promptTokens + completionTokens).toLocaleString('en-US')} tokens${cached}`;
};

/** Returns the object that `--output-format json` prints. */
const resultOf = ({ turnId, projectId, conversationId }: ReportedTurn, terminal: TerminalEvent) => {
  const ids = { turnId, projectId, conversationId };
  const unapplied = terminal.unapplied === undefined ? {} : { unapplied: terminal.unapplied };
  if (terminal.type === 'error') {
    return { ...ids, status: 'failed', error: terminal.message, code: terminal.code, ...unapplied };
  }
  const { status, reason, fullContent, usage } = terminal;
  return { ...ids, status, reason, content: fullContent, usage, ...unapplied };
};

/**
 * Returns the exit code of a turn. A turn that was denied a request, or whose file was not written, does not count as
 * done.
 */
const exitCodeOfTurn = (
  terminal: TerminalEvent,
  { writes, refusedBegin, isDenied }: TurnReport,
): ExitCode => {
  const code = exitCodeOfEnd(terminal);
  if (code !== EXIT.done && code !== EXIT.forced) return code;
  if (isDenied) return EXIT.denied;
  const outcomes = [...writes.outcomes.values()];
  const failed = outcomes.find(({ kind }) => kind !== 'committed');
  if (failed) return failed.kind === 'failed' ? failed.exitCode : EXIT.failed;
  const wasPrevented = refusedBegin?.error === WRITE_SESSION_TEXTS.sessionActive && outcomes.length === 0;
  return wasPrevented ? EXIT.session : code;
};

/** Returns the exit code that the last event of a turn means by itself. */
const exitCodeOfEnd = (terminal: TerminalEvent): ExitCode => {
  if (terminal.type === 'error') return EXIT.failed;
  switch (terminal.reason) {
    case 'answered':
      return EXIT.done;
    case 'cancelled':
      return EXIT.interrupted;
    case 'cycles':
    case 'duplicates':
    case 'malformed':
    case 'refusals':
    case 'no_progress':
    case 'repetition':
    case 'time':
    case 'tokens':
    case 'cost':
    case 'length':
      return EXIT.forced;
    default:
      return terminal.reason satisfies never;
  }
};
