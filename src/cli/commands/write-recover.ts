import type { CliContext } from '../command-context/cli-context.ts';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import { detailOf, GatewayRefusedError } from '../http/gateway-failures.ts';
import { withRetries } from '../http/retry.ts';
import { beginUnused, endedStageOf } from '../write-session/begin-unused.ts';
import type { KeptSession } from '../write-session/kept-sessions.ts';
import { finalizeStoredDraft, finalizeWithFile } from '../write-session/send-content.ts';
import { beginFailure } from '../write-session/write-failure.ts';
import { runAttach } from './turn-commands.ts';
import { reportFinalize } from './write-finalize.ts';

/**
 * Runs `orion write recover`: recovers the writes to this gateway whose texts this machine has kept, and lists those to
 * other gateways. With `sessionId`, recovers only that session, wherever it was begun. One failure does not stop the
 * others. Returns the first exit code other than `EXIT.done`, or `EXIT.done`. Throws as `GatewayClient` does.
 */
export const runWriteRecover = async (
  context: CliContext,
  { sessionId }: { readonly sessionId: string | undefined },
): Promise<ExitCode> => {
  const { keptSessions, screen, config } = context;
  const allSessions = await keptSessions.list();
  const isWanted = (session: KeptSession): boolean =>
    sessionId === undefined ? session.url === config.url : session.sessionId === sessionId;
  const sessions = allSessions.filter(isWanted);
  const elsewhere = sessionId === undefined ? allSessions.filter((session) => !isWanted(session)) : [];
  if (sessions.length === 0) {
    screen.report(elsewhere.length === 0 ? 'Nothing to recover.' : `Nothing to recover at ${config.url}.`);
  }
  let code: ExitCode = EXIT.done;
  for (const session of sessions) {
    const sessionCode = await recoverSession(context, session);
    if (code === EXIT.done) code = sessionCode;
  }
  for (const line of elsewhereLines(elsewhere)) screen.report(line);
  return code;
};

/** Returns one line for each other gateway for whose sessions this machine has kept texts. */
const elsewhereLines = (sessions: readonly KeptSession[]): readonly string[] =>
  [...Map.groupBy(sessions, ({ url }) => url)].map(
    ([url, ofGateway]) =>
      `Kept for ${url}: ${ofGateway.map(({ sessionId }) => sessionId).join(', ')}. ` +
      `\`orion --url ${url} write recover\` continues there; ` +
      'if that gateway has moved here, `orion write recover <session>` continues here.',
  );

const recoverSession = async (context: CliContext, session: KeptSession): Promise<ExitCode> => {
  if (session.turnId !== null && (await isRunning(context, session.turnId))) {
    return runAttach(context, { name: 'attach', turnId: session.turnId, format: 'text', ownership: 'own' });
  }
  const state = await readRecoveryState(context, session.sessionId);
  switch (state.kind) {
    case 'open':
      return recoverOpen(context, session, state.draftBytes);
    case 'committed':
      return reportWritten(context, session);
    case 'expired':
      return recoverExpired(context, session);
    case 'ended':
      return reportEnded(context, session);
    default:
      return state satisfies never;
  }
};

const reportWritten = async (
  { screen, keptSessions }: CliContext,
  { sessionId, target }: KeptSession,
): Promise<ExitCode> => {
  screen.report(`${target} was written.`);
  await keptSessions.remove(sessionId);
  return EXIT.done;
};

const isRunning = async ({ turns, retry }: CliContext, turnId: string): Promise<boolean> => {
  try {
    return (await withRetries(retry, () => turns.readStatus(turnId))).status === 'running';
  } catch (error) {
    // The turn may have been removed while its session is still there.
    if (error instanceof GatewayRefusedError && error.status === 404) return false;
    throw error;
  }
};

type RecoveryState =
  | { readonly kind: 'open'; readonly draftBytes: number }
  | { readonly kind: 'committed' | 'expired' }
  /** The session was cancelled, or the gateway does not know it any longer. */
  | { readonly kind: 'ended' };

const readRecoveryState = async (
  { writeSessions, retry }: CliContext,
  sessionId: string,
): Promise<RecoveryState> => {
  try {
    const { draft_bytes: draftBytes } = await withRetries(retry, () => writeSessions.readStatus(sessionId));
    return { kind: 'open', draftBytes };
  } catch (error) {
    if (!(error instanceof GatewayRefusedError) || error.code !== 'session_not_found') throw error;
    const stage = detailOf(error, 'stage');
    return { kind: stage === 'committed' || stage === 'expired' ? stage : 'ended' };
  }
};

/**
 * Commits the text of an open session if it is complete. A text without its end marker is never saved on a guess
 * (docs/write-sessions.md "In a turn").
 */
const recoverOpen = async (
  context: CliContext,
  session: KeptSession,
  draftBytes: number,
): Promise<ExitCode> => {
  const { sessionId } = session;
  if (!session.complete) return reportUnfinished(context, session, draftBytes > 0);
  const hasTurnDraft = session.turnId !== null && draftBytes > 0;
  const path = context.keptSessions.textPath(sessionId);
  return reportFinalize(
    context,
    sessionId,
    await (hasTurnDraft
      ? finalizeStoredDraft(context, sessionId)
      : finalizeWithFile(context, sessionId, path)),
  );
};

const reportUnfinished = (
  { screen, keptSessions }: CliContext,
  { sessionId, target }: KeptSession,
  hasDraft: boolean,
): ExitCode => {
  const path = keptSessions.textPath(sessionId);
  const contentFlag = hasDraft ? '--draft' : `--file ${path}`;
  screen.report(
    `${target} was not written: its text in ${path} may not be whole. ` +
      `\`orion write finalize ${sessionId} ${contentFlag}\` writes it as it is.`,
  );
  return EXIT.failed;
};

/** Writes the complete text of an expired session in a new session, since the old one has not written it. */
const recoverExpired = async (context: CliContext, session: KeptSession): Promise<ExitCode> => {
  const { sessionId, target, projectId, operation, complete } = session;
  if (!complete || operation === null) return reportEnded(context, session);
  const { screen, keptSessions } = context;
  try {
    const request = { projectId, target_file: target, operation };
    // The key depends only on the expired session, so that a recovery continues in the session of an earlier one. With
    // a random key it would find the file locked, or append the text once more.
    const { session_id: newId } = await beginUnused(context, request, `recover:${sessionId}`);
    const code = await reportFinalize(
      context,
      newId,
      await finalizeWithFile(context, newId, keptSessions.textPath(sessionId)),
    );
    if (code === EXIT.done) await keptSessions.remove(sessionId);
    return code;
  } catch (error) {
    // An earlier recovery has written the text.
    if (endedStageOf(error) === 'committed') return reportWritten(context, session);
    const { kind, line, exitCode } = beginFailure(error);
    if (kind !== 'away') screen.report(line);
    return exitCode;
  }
};

const reportEnded = (
  { screen, keptSessions, config }: CliContext,
  { sessionId, target, url }: KeptSession,
): ExitCode => {
  const isFromHere = url === config.url;
  const state = isFromHere
    ? `The session of ${target} is over and nothing was written.`
    : `The session of ${target} was begun at ${url}, and this gateway does not have it.`;
  const deletion = isFromHere ? `, \`orion write cancel ${sessionId}\` deletes it` : '';
  screen.report(
    `${state} Its text is in ${keptSessions.textPath(sessionId)}; ` +
      `\`orion write begin\` and \`orion write finalize <id> --file\` write it${deletion}.`,
  );
  return EXIT.session;
};
