import type { MessageList } from '../../contracts/http/message-api.ts';
import type { CliContext } from '../command-context/cli-context.ts';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import { withRetries } from '../http/retry.ts';
import { resolveTurn } from './resolve-turn.ts';

/** The message that began a turn. A message that replaces it begins a turn with the same parent. */
export interface OpeningMessage {
  readonly conversationId: string;
  readonly content: string;
  /** Parent of the turn that the message began. Null if it has none. */
  readonly parentTurnId: string | null;
}

/** The message that began a turn, or the exit code if it cannot be found. */
export type OpeningMessageOutcome =
  | { readonly kind: 'found'; readonly message: OpeningMessage }
  /** There is no message; the person has been told why. */
  | { readonly kind: 'none'; readonly code: ExitCode };

/**
 * Finds the message that began the turn which a person names in a form that `resolveTurn` accepts. Throws
 * `GatewayUnreachableError` or `GatewayRefusedError`.
 */
export const findOpeningMessage = async (
  context: CliContext,
  idOrPrefix: string | undefined,
): Promise<OpeningMessageOutcome> => {
  const resolved = await resolveTurn(context, idOrPrefix);
  return resolved.kind === 'none' ? resolved : findOpeningOfTurn(context, resolved.turn.turnId);
};

/** Finds the message that began the newest turn of a conversation. Throws as `findOpeningMessage` does. */
export const findLastOpeningMessage = async (
  context: CliContext,
  conversationId: string,
): Promise<OpeningMessageOutcome> => {
  const { turns, retry, screen, config } = context;
  const [newest] = (await withRetries(retry, () => turns.listTurns(config.projectId, 1, conversationId)))
    .turns;
  if (newest !== undefined) return findOpeningOfTurn(context, newest.turnId);
  screen.report('Nothing has been asked here yet.');
  return { kind: 'none', code: EXIT.failed };
};

const findOpeningOfTurn = async (context: CliContext, turnId: string): Promise<OpeningMessageOutcome> => {
  const message = await readOpeningMessage(context, turnId);
  if (message) return { kind: 'found', message };
  context.screen.report(`What was said in turn ${turnId} has been removed.`);
  return { kind: 'none', code: EXIT.failed };
};

type Message = MessageList['messages'][number];

const readOpeningMessage = async (
  { conversations, retry, config: { projectId } }: CliContext,
  turnId: string,
): Promise<OpeningMessage | undefined> => {
  let opening: Message | undefined;
  for (let offset: number | null = 0; offset !== null;) {
    const from: number = offset;
    const page: MessageList = await withRetries(retry, () =>
      conversations.listBranchMessages(projectId, turnId, from),
    );
    // The page is newest first. So the last of the user's messages of this turn began the turn, and any others were
    // sent into it.
    opening =
      page.messages.findLast((message) => message.turnId === turnId && message.sender === 'user') ?? opening;
    const isPast = page.messages.some((message) => message.turnId !== null && message.turnId !== turnId);
    offset = isPast ? null : page.nextOffset;
  }
  return opening && toOpeningMessage(opening);
};

const toOpeningMessage = ({ conversationId, content, parentTurnId }: Message): OpeningMessage => ({
  conversationId,
  content,
  parentTurnId,
});
