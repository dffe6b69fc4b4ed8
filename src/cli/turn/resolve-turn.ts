import type { TurnStatusResponse } from '../../contracts/http/turn-api.ts';
import type { CliContext } from '../command-context/cli-context.ts';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import { GatewayRefusedError } from '../http/gateway-failures.ts';
import { withRetries } from '../http/retry.ts';

/** The turn that an id or its beginning names, or the exit code if no single turn was found. */
export type ResolvedTurn =
  | { readonly kind: 'turn'; readonly turn: TurnStatusResponse }
  /** There is no turn, or the id begins more than one. The person has been told so. */
  | { readonly kind: 'none'; readonly code: ExitCode };

/** Number of the newest turns of the project among which the beginning of an id is looked for. */
const PREFIX_TURNS = 100;

/**
 * Finds the turn that a person means: by its id, by the beginning of one of the newest ids, or the newest turn of the
 * project. Throws as `GatewayClient` does, also when no turn fits `idOrPrefix`.
 */
export const resolveTurn = async (
  context: CliContext,
  idOrPrefix: string | undefined,
): Promise<ResolvedTurn> => {
  if (idOrPrefix === undefined) return findNewestTurn(context);
  try {
    return { kind: 'turn', turn: await readStatus(context, idOrPrefix) };
  } catch (error) {
    if (!(error instanceof GatewayRefusedError) || error.code !== 'turn_not_found') throw error;
    return findByPrefix(context, idOrPrefix, error);
  }
};

const findNewestTurn = async (context: CliContext): Promise<ResolvedTurn> => {
  const { turns, retry, screen, config } = context;
  const [newest] = (await withRetries(retry, () => turns.listTurns(config.projectId, 1))).turns;
  if (newest === undefined) {
    screen.report(`There is no turn in project ${config.projectId} yet.`);
    return { kind: 'none', code: EXIT.failed };
  }
  screen.reportDimmed(`turn ${newest.turnId} · ${newest.title}`);
  return { kind: 'turn', turn: await readStatus(context, newest.turnId) };
};

const findByPrefix = async (
  context: CliContext,
  prefix: string,
  notFoundError: GatewayRefusedError,
): Promise<ResolvedTurn> => {
  const { turns, retry, screen, config } = context;
  const listed = await withRetries(retry, () => turns.listTurns(config.projectId, PREFIX_TURNS));
  const matchingTurns = listed.turns.filter(({ turnId }) => turnId.startsWith(prefix));
  const [only] = matchingTurns;
  if (only === undefined) throw notFoundError;
  if (matchingTurns.length === 1) return { kind: 'turn', turn: await readStatus(context, only.turnId) };
  screen.report(`error: ${prefix} begins the ids of ${matchingTurns.length} turns:`);
  for (const { turnId, title } of matchingTurns) screen.report(`  ${turnId}  ${title}`);
  return { kind: 'none', code: EXIT.usage };
};

const readStatus = ({ turns, retry }: CliContext, turnId: string): Promise<TurnStatusResponse> =>
  withRetries(retry, () => turns.readStatus(turnId));
