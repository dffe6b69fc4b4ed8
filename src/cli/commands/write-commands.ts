import { randomUUID } from 'node:crypto';
import type { CommandNamed } from '../args/command.ts';
import type { CliContext } from '../command-context/cli-context.ts';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import { withRetries } from '../http/retry.ts';
import { beginUnused } from '../write-session/begin-unused.ts';
import { beginFailure, finalizeFailure } from '../write-session/write-failure.ts';
import { jsonLine } from '../render/output.ts';

/**
 * Runs `orion write begin`: begins a session and prints only its id, which scripts can use, or the response as JSON.
 */
export const runWriteBegin = async (
  context: CliContext,
  { target, operation, intent }: CommandNamed<'write begin'>,
): Promise<ExitCode> => {
  const { screen, config, printsJson } = context;
  const request = {
    projectId: config.projectId,
    target_file: target,
    operation,
    ...(intent !== undefined && { intent }),
  };
  try {
    const session = await beginUnused(context, request, randomUUID());
    screen.write(printsJson ? jsonLine(session) : `${session.session_id}\n`);
    if (!printsJson) screen.reportDimmed(`\`orion write finalize ${session.session_id}\` takes the content.`);
    return EXIT.done;
  } catch (error) {
    const { kind, line, hint, exitCode } = beginFailure(error);
    // `withRetries` has reported already that the gateway is away.
    if (kind !== 'away') screen.report(line);
    if (hint !== undefined) screen.report(hint);
    return exitCode;
  }
};

/** Runs `orion write status`: prints the fields of a session. */
export const runWriteStatus = async (
  { writeSessions, retry, screen, printsJson }: CliContext,
  { sessionId }: { readonly sessionId: string },
): Promise<ExitCode> =>
  reportingEnd(screen, async () => {
    const status = await withRetries(retry, () => writeSessions.readStatus(sessionId));
    if (printsJson) return screen.write(jsonLine(status));
    for (const [name, value] of Object.entries(status)) screen.writeLine(`${name.padEnd(14)} ${value}`);
  });

/** Runs `orion write cancel`: ends a session without writing its file, and deletes what is kept for it. */
export const runWriteCancel = async (
  context: CliContext,
  { sessionId }: { readonly sessionId: string },
): Promise<ExitCode> => {
  const { writeSessions, retry, screen, keptSessions } = context;
  const cancel = async (): Promise<void> => {
    const response = await withRetries(retry, () => writeSessions.cancel(sessionId));
    await keptSessions.remove(sessionId);
    printChange(context, response);
  };
  return reportingEnd(screen, cancel, () => deleteKeptText(context, sessionId));
};

/** Runs `orion write undo`: restores what the file of a session held before. */
export const runWriteUndo = async (
  context: CliContext,
  { sessionId }: { readonly sessionId: string },
): Promise<ExitCode> =>
  reportingEnd(context.screen, async () => {
    printChange(context, await withRetries(context.retry, () => context.writeSessions.undo(sessionId)));
  });

const printChange = ({ screen, printsJson }: CliContext, response: { readonly message: string }): void => {
  if (printsJson) screen.write(jsonLine(response));
  else screen.report(response.message);
};

/**
 * Deletes what is kept for a session that this gateway no longer has. The text of a session that was begun at another
 * gateway stays, because that gateway may still have the session.
 */
const deleteKeptText = async (
  { keptSessions, config, screen }: CliContext,
  sessionId: string,
): Promise<void> => {
  const keptSession = (await keptSessions.list()).find((session) => session.sessionId === sessionId);
  if (keptSession?.url !== config.url) return;
  await keptSessions.remove(sessionId);
  screen.report('The text that was kept for it is deleted.');
};

/**
 * Runs a call about a session and returns the exit code. The end of a session has an exit code of its own, because it
 * is not a failure of the program. `onEnded` is called after that end was reported.
 */
const reportingEnd = async (
  screen: CliContext['screen'],
  run: () => Promise<void>,
  onEnded?: () => Promise<void>,
): Promise<ExitCode> => {
  try {
    await run();
    return EXIT.done;
  } catch (error) {
    const failure = finalizeFailure(error);
    if (failure.stage === 'committed') screen.report('The session has ended: its file was written.');
    else if (failure.kind === 'ended' && error instanceof Error) screen.report(error.message);
    else if (failure.kind !== 'away') screen.report(failure.line);
    if (failure.kind === 'ended') await onEnded?.();
    return failure.exitCode;
  }
};
