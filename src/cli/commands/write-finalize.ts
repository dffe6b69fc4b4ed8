import type { WriteSessionStatus } from '../../contracts/http/write-session-api.ts';
import type { CommandNamed } from '../args/command.ts';
import type { CliContext } from '../command-context/cli-context.ts';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import { withRetries } from '../http/retry.ts';
import { DraftSender } from '../write-session/draft-sender.ts';
import type { KeptSession } from '../write-session/kept-sessions.ts';
import { finalizeStoredDraft, finalizeWithFile, type FinalizeResult } from '../write-session/send-content.ts';
import { spoolContent } from '../write-session/spool-content.ts';
import { finalizeFailure } from '../write-session/write-failure.ts';
import { committedLine, interruptedLine, keptTextLine } from '../write-session/write-lines.ts';
import { jsonLine } from '../render/output.ts';

/** Time in milliseconds between two calls that send what has come on stdin as a draft. */
const DRAFT_INTERVAL_MS = 1_000;

type FinalizeCommand = CommandNamed<'write finalize'>;

/** Runs `orion write finalize`: commits the draft of a session, or content from stdin or a file. */
export const runWriteFinalize = async (
  context: CliContext,
  { sessionId, source }: FinalizeCommand,
): Promise<ExitCode> => {
  switch (source.kind) {
    case 'draft':
      return finalizeCheckedDraft(context, sessionId, source.isForced);
    case 'file':
      return reportFinalize(context, sessionId, await finalizeWithFile(context, sessionId, source.path));
    case 'stdin':
      return finalizeStdin(context, sessionId);
    default:
      return source satisfies never;
  }
};

/**
 * Commits the stored draft. A draft may be only the beginning of a text, so without `isForced` it does not replace a
 * longer file.
 */
const finalizeCheckedDraft = async (
  context: CliContext,
  sessionId: string,
  isForced: boolean,
): Promise<ExitCode> => {
  const { screen } = context;
  try {
    const warning = isForced ? undefined : await findDraftWarning(context, sessionId);
    if (warning !== undefined) {
      screen.report(warning);
      return EXIT.failed;
    }
  } catch (error) {
    const failure = finalizeFailure(error);
    // A draft that was committed before counts as written (`finalizeStoredDraft`).
    if (failure.stage !== 'committed') return reportFinalize(context, sessionId, { kind: 'failed', failure });
  }
  return reportFinalize(context, sessionId, await finalizeStoredDraft(context, sessionId));
};

/**
 * Returns the warning about a draft that would replace a longer file, or one of unknown size. Returns undefined if it
 * would not. Throws what `GatewayClient` throws.
 */
const findDraftWarning = async (
  { writeSessions, retry }: CliContext,
  sessionId: string,
): Promise<string | undefined> => {
  const status = await withRetries(retry, () => writeSessions.readStatus(sessionId));
  const { operation, target_file: target, target_bytes: bytes, draft_bytes: draftBytes } = status;
  if (operation !== 'overwrite') return undefined;
  const forceHint = 'Add --force to write it all the same.';
  if (bytes === undefined) return `${target} cannot be read, and the draft would replace it. ${forceHint}`;
  if (bytes === null || bytes <= draftBytes) return undefined;
  return (
    `${target} has ${bytes.toLocaleString('en')} bytes; the draft has ` +
    `${draftBytes.toLocaleString('en')} and would replace them. ${forceHint}`
  );
};

/**
 * Reports the result of a finalize and returns the exit code. If the file was written, the kept text of the session is
 * removed.
 */
export const reportFinalize = async (
  { screen, keptSessions, printsJson }: CliContext,
  sessionId: string,
  result: FinalizeResult,
): Promise<ExitCode> => {
  if (result.kind === 'failed') {
    // The failed tries have been reported already (`withRetries`).
    const { kind, line, hint, exitCode } = result.failure;
    if (kind !== 'away') screen.report(line);
    if (hint !== undefined) screen.report(hint);
    return exitCode;
  }
  await keptSessions.remove(sessionId);
  const written = result.response?.results[0];
  if (printsJson && result.response) screen.write(jsonLine(result.response));
  else if (written) screen.report(committedLine({ ...written, target: written.target_file }));
  else screen.report('The file was written before.');
  return EXIT.done;
};

/**
 * Commits what comes on stdin. After an interrupt, a line says what is kept and how to continue. The work that is under
 * way then ends with the process.
 */
const finalizeStdin = async (context: CliContext, sessionId: string): Promise<ExitCode> => {
  const { cliProcess, screen, keptSessions } = context;
  const interruption = Promise.withResolvers<'interrupted'>();
  const unsubscribe = cliProcess.interrupts.subscribe(() => interruption.resolve('interrupted'));
  let keptSession: KeptSession | undefined;
  const onKept = (session: KeptSession): void => void (keptSession = session);
  try {
    const end = await Promise.race([sendStdin(context, sessionId, onKept), interruption.promise]);
    if (end !== 'interrupted') return end;
    if (keptSession) screen.report(keptLine(keptSession, keptSessions.textPath(sessionId)));
    return EXIT.interrupted;
  } finally {
    unsubscribe();
  }
};

const keptLine = (session: KeptSession, path: string): string =>
  session.complete ? keptTextLine(session.target, path) : interruptedLine(session, path);

/** Keeps what comes on stdin, then commits it. `onKept` is called with each record of the session that is stored. */
const sendStdin = async (
  context: CliContext,
  sessionId: string,
  onKept: (session: KeptSession) => void,
): Promise<ExitCode> => {
  const { keptSessions, screen, writeSessions, retry } = context;
  const record = async (kept: KeptSession): Promise<void> => {
    await keptSessions.record(kept);
    onKept(kept);
  };
  let session: KeptSession | undefined;
  try {
    session = keptSessionOf(context, await withRetries(retry, () => writeSessions.readStatus(sessionId)));
    await record(session);
  } catch (error) {
    const failure = finalizeFailure(error);
    // A committed session is tried nevertheless, because the same content gets the same response as the first time.
    if (failure.stage !== 'committed') return reportFinalize(context, sessionId, { kind: 'failed', failure });
  }
  if (!(await spoolStdin(context, sessionId))) {
    screen.report('Content validation failed: nothing came on stdin. Please fix and try again.');
    return EXIT.failed;
  }
  if (session) await record({ ...session, complete: true });
  const path = keptSessions.textPath(sessionId);
  const code = await reportFinalize(context, sessionId, await finalizeWithFile(context, sessionId, path));
  if (code === EXIT.unreachable && session) screen.report(keptTextLine(session.target, path));
  // The session was committed before, so its text need not be kept for a recovery.
  if (!session) await keptSessions.remove(sessionId);
  return code;
};

const keptSessionOf = ({ config }: CliContext, status: WriteSessionStatus): KeptSession => ({
  sessionId: status.session_id,
  turnId: null,
  url: config.url,
  projectId: config.projectId,
  target: status.target_file,
  operation: status.operation,
  complete: false,
});

/** Stores stdin as the text of the session, and sends it as drafts while it comes. Returns false if nothing came. */
const spoolStdin = async (
  { cliProcess, keptSessions, screen, config, writeSessions }: CliContext,
  sessionId: string,
): Promise<boolean> => {
  const drafts = new DraftSender(writeSessions, sessionId);
  const stop = cliProcess.timers.every(DRAFT_INTERVAL_MS, () => void drafts.flush());
  try {
    return await spoolContent(cliProcess, {
      path: keptSessions.textPath(sessionId),
      idleMs: config.idleMs,
      report: (line) => screen.report(line),
      onPart: (part) => drafts.add(part),
    });
  } finally {
    stop();
  }
};
