import type { CliContext } from '../parts/cli-context.ts';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import { detailOf, GatewayRefusal } from '../http/gateway-failures.ts';
import { withRetries } from '../http/retry.ts';
import type { KeptSession } from '../write-session/kept-sessions.ts';
import { sendDraft, sendFile } from '../write-session/send-content.ts';
import { beginFailure } from '../write-session/write-failure.ts';
import { runAttach } from './turn-commands.ts';
import { reportFinalize } from './write-finalize.ts';

/** Goes on with every write that this machine has kept a text of; one that cannot go on holds up no other. */
export const runWriteRecover = async (
  context: CliContext,
  { sessionId }: { readonly sessionId: string | undefined },
): Promise<ExitCode> => {
  const { kept, screen, config } = context;
  const sessions = (await kept.list()).filter(
    (session) => session.url === config.url && (sessionId === undefined || session.sessionId === sessionId),
  );
  if (sessions.length === 0) screen.say('Nothing to recover.');
  let code: ExitCode = EXIT.done;
  for (const session of sessions) {
    const own = await recoverSession(context, session);
    if (code === EXIT.done) code = own;
  }
  return code;
};

const recoverSession = async (context: CliContext, session: KeptSession): Promise<ExitCode> => {
  if (session.turnId !== null && (await isRunning(context, session.turnId))) {
    return runAttach(context, { name: 'attach', turnId: session.turnId, format: 'text', ownership: 'own' });
  }
  const state = await stateOf(context, session.sessionId);
  switch (state.kind) {
    case 'open':
      return recoverOpen(context, session, state.draftBytes);
    case 'committed':
      context.screen.say(`${session.target} was written.`);
      await context.kept.remove(session.sessionId);
      return EXIT.done;
    case 'expired':
      return recoverExpired(context, session);
    case 'over':
      return keepOver(context, session);
    default:
      return state satisfies never;
  }
};

const isRunning = async ({ turns, retry }: CliContext, turnId: string): Promise<boolean> => {
  try {
    return (await withRetries(retry, () => turns.status(turnId))).status === 'running';
  } catch (error) {
    // Its history may be gone while its session is not.
    if (error instanceof GatewayRefusal && error.status === 404) return false;
    throw error;
  }
};

type State =
  | { readonly kind: 'open'; readonly draftBytes: number }
  | { readonly kind: 'committed' | 'expired' }
  /** The session is cancelled, or nobody knows of it any longer. */
  | { readonly kind: 'over' };

const stateOf = async ({ writeSessions, retry }: CliContext, sessionId: string): Promise<State> => {
  try {
    const { draft_bytes: draftBytes } = await withRetries(retry, () => writeSessions.status(sessionId));
    return { kind: 'open', draftBytes };
  } catch (error) {
    if (!(error instanceof GatewayRefusal) || error.code !== 'session_not_found') throw error;
    const stage = detailOf(error, 'stage');
    return { kind: stage === 'committed' || stage === 'expired' ? stage : 'over' };
  }
};

/** A text without its end marker is never saved on a guess (docs/write-sessions.md "In a turn"). */
const recoverOpen = async (
  context: CliContext,
  session: KeptSession,
  draftBytes: number,
): Promise<ExitCode> => {
  const { sessionId } = session;
  if (!session.complete) return askForEnd(context, session, draftBytes > 0);
  const isTurns = session.turnId !== null && draftBytes > 0;
  const path = context.kept.textPath(sessionId);
  return reportFinalize(
    context,
    sessionId,
    await (isTurns ? sendDraft(context, sessionId) : sendFile(context, sessionId, path)),
  );
};

const askForEnd = (
  { screen, kept }: CliContext,
  { sessionId, target }: KeptSession,
  hasDraft: boolean,
): ExitCode => {
  const path = kept.textPath(sessionId);
  const how = hasDraft ? '--draft' : `--file ${path}`;
  screen.say(
    `${target} was not written: its text in ${path} may not be whole. ` +
      `\`orion write finalize ${sessionId} ${how}\` writes it as it is.`,
  );
  return EXIT.failed;
};

/** The session ended unwritten, so a new one may write the same text. */
const recoverExpired = async (context: CliContext, session: KeptSession): Promise<ExitCode> => {
  const { sessionId, target, projectId, operation, complete } = session;
  if (!complete || operation === null) return keepOver(context, session);
  const { writeSessions, retry, screen, kept } = context;
  try {
    const request = { projectId, target_file: target, operation };
    const { session_id: newId } = await withRetries(retry, () => writeSessions.begin(request));
    const code = await reportFinalize(
      context,
      newId,
      await sendFile(context, newId, kept.textPath(sessionId)),
    );
    if (code === EXIT.done) await kept.remove(sessionId);
    return code;
  } catch (error) {
    const { kind, line, exitCode } = beginFailure(error);
    if (kind !== 'away') screen.say(line);
    return exitCode;
  }
};

const keepOver = ({ screen, kept }: CliContext, { sessionId, target }: KeptSession): ExitCode => {
  screen.say(
    `The session of ${target} is over and nothing was written. Its text is in ${kept.textPath(sessionId)}; ` +
      '`orion write begin` and `orion write finalize <id> --file` write it.',
  );
  return EXIT.session;
};
