import { randomUUID } from 'node:crypto';
import type { CommandNamed } from '../args/command.ts';
import type { CliContext } from '../command-context/cli-context.ts';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import { mayHaveTakenEffect, retryUntilWorkerAnswers } from '../http/retry.ts';
import { resolveTurn } from '../turn/resolve-turn.ts';
import { jsonLine } from '../render/output.ts';

/**
 * Runs `orion steer`, which sends a message into a running turn, or with `--queue` begins the next turn with it if that
 * turn has ended. The message keeps its id however often it has to be sent. If its outcome is unknown the id is
 * printed, so that the same message can be sent again.
 */
export const runSteer = async (
  context: CliContext,
  { turnId: idOrPrefix, content, when, mayQueue: queue, messageId = randomUUID() }: CommandNamed<'steer'>,
): Promise<ExitCode> => {
  const { turns, retry, screen, printsJson } = context;
  const resolved = await resolveTurn(context, idOrPrefix);
  if (resolved.kind === 'none') return resolved.code;
  const message = { messageId, content, when, queue };
  const response = await retryUntilWorkerAnswers(retry, () =>
    turns.steer(resolved.turn.turnId, message),
  ).catch((error: unknown) => {
    if (mayHaveTakenEffect(error)) {
      screen.report(`The turn may have it. To say it again, once: --id ${messageId}`);
    }
    throw error;
  });
  const isNext = response.state === 'queued';
  if (printsJson) screen.write(jsonLine(response));
  else screen.report(isNext ? `The next turn has it: ${response.turnId}` : 'The turn has it.');
  return EXIT.done;
};
