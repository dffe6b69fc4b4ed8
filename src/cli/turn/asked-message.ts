import type { MessageList } from '../../contracts/http/message-api.ts';
import type { CliContext } from '../parts/cli-context.ts';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import { withRetries } from '../http/retry.ts';
import { resolveTurn } from './resolve-turn.ts';

/** The message that began a turn, and its place: a message that replaces it goes on from the same turn. */
export interface AskedMessage {
  readonly conversationId: string;
  readonly content: string;
  /** The turn that the message's own turn goes on from; null: none. */
  readonly parentTurnId: string | null;
}

/** The message that began a turn, or the exit code without one. */
export type FoundMessage =
  | { readonly kind: 'found'; readonly asked: AskedMessage }
  /** There is no message; the person has learned why. */
  | { readonly kind: 'none'; readonly code: ExitCode };

/**
 * Finds the message that began the turn which a person names in a form that `resolveTurn` accepts. Throws
 * `GatewayUnreachable` or `GatewayRefusal`.
 */
export const findAsked = async (context: CliContext, given: string | undefined): Promise<FoundMessage> => {
  const resolved = await resolveTurn(context, given);
  return resolved.kind === 'none' ? resolved : askedBy(context, resolved.turn.turnId);
};

/** Finds the message that began the newest turn of a conversation. Throws as `findAsked` does. */
export const findLastAsked = async (context: CliContext, conversationId: string): Promise<FoundMessage> => {
  const { turns, retry, screen, config } = context;
  const [newest] = (await withRetries(retry, () => turns.list(config.projectId, 1, conversationId))).turns;
  if (newest !== undefined) return askedBy(context, newest.turnId);
  screen.say('Nothing has been asked here yet.');
  return { kind: 'none', code: EXIT.failed };
};

const askedBy = async (context: CliContext, turnId: string): Promise<FoundMessage> => {
  const asked = await readAsked(context, turnId);
  if (asked) return { kind: 'found', asked };
  context.screen.say(`What was said in turn ${turnId} has been removed.`);
  return { kind: 'none', code: EXIT.failed };
};

type Message = MessageList['messages'][number];

const readAsked = async (
  { turns, retry, config: { projectId } }: CliContext,
  turnId: string,
): Promise<AskedMessage | undefined> => {
  let asked: Message | undefined;
  for (let offset: number | null = 0; offset !== null;) {
    const from: number = offset;
    const page: MessageList = await withRetries(retry, () => turns.branch(projectId, turnId, from));
    // The page is newest first: messages into the turn come before the one that began it.
    asked = page.messages.findLast((one) => one.turnId === turnId && one.sender === 'user') ?? asked;
    const isPast = page.messages.some((one) => one.turnId !== null && one.turnId !== turnId);
    offset = isPast ? null : page.nextOffset;
  }
  return asked && sentAgain(asked);
};

const sentAgain = ({ conversationId, content, parentTurnId }: Message): AskedMessage => ({
  conversationId,
  content,
  parentTurnId,
});
