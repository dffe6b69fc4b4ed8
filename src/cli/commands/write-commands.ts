import type { CommandNamed } from '../args/command.ts';
import type { CliContext } from '../parts/cli-context.ts';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import { withRetries } from '../http/retry.ts';
import { beginFailure, finalizeFailure } from '../write-session/write-failure.ts';

/** Prints only the id of the new session, so that a script can use it. */
export const runWriteBegin = async (
  { writeSessions, retry, screen, config, printsJson }: CliContext,
  { target, operation, intent }: CommandNamed<'write begin'>,
): Promise<ExitCode> => {
  const request = {
    projectId: config.projectId,
    target_file: target,
    operation,
    ...(intent !== undefined && { intent }),
  };
  try {
    const session = await withRetries(retry, () => writeSessions.begin(request));
    screen.answer(printsJson ? `${JSON.stringify(session)}\n` : `${session.session_id}\n`);
    if (!printsJson) screen.mention(`\`orion write finalize ${session.session_id}\` takes the content.`);
    return EXIT.done;
  } catch (error) {
    const { kind, line, hint, exitCode } = beginFailure(error);
    // The retries have already reported it.
    if (kind !== 'away') screen.say(line);
    if (hint !== undefined) screen.say(hint);
    return exitCode;
  }
};

/** `orion write status`: prints the fields of a session. */
export const runWriteStatus = async (
  { writeSessions, retry, screen, printsJson }: CliContext,
  { sessionId }: { readonly sessionId: string },
): Promise<ExitCode> =>
  orSay(screen, async () => {
    const status = await withRetries(retry, () => writeSessions.status(sessionId));
    if (printsJson) return screen.answer(`${JSON.stringify(status)}\n`);
    for (const [name, value] of Object.entries(status)) screen.print(`${name.padEnd(14)} ${value}`);
  });

/** `orion write cancel` and `orion write undo`: ends a session, or takes back what it wrote. */
export const runWriteChange = async (
  { writeSessions, retry, screen, printsJson, kept }: CliContext,
  { name, sessionId }: { readonly name: 'write cancel' | 'write undo'; readonly sessionId: string },
): Promise<ExitCode> =>
  orSay(screen, async () => {
    const call = name === 'write cancel' ? writeSessions.cancel : writeSessions.undo;
    const answer = await withRetries(retry, () => call(sessionId));
    if (name === 'write cancel') await kept.remove(sessionId);
    if (printsJson) screen.answer(`${JSON.stringify(answer)}\n`);
    else screen.say(answer.message);
  });

/** A session that has ended is no failure of the program: it has its own exit code. */
const orSay = async (screen: CliContext['screen'], run: () => Promise<void>): Promise<ExitCode> => {
  try {
    await run();
    return EXIT.done;
  } catch (error) {
    const failure = finalizeFailure(error);
    if (failure.stage === 'committed') screen.say('The session has ended: its file was written.');
    else if (failure.kind === 'ended' && error instanceof Error) screen.say(error.message);
    else if (failure.kind !== 'away') screen.say(failure.line);
    return failure.exitCode;
  }
};
