import type { ConversationList } from '../../contracts/http/conversation-api.ts';
import type { TurnFlags } from '../args/command.ts';
import type { CliContext } from '../command-context/cli-context.ts';
import { askLine } from '../process/ask-line.ts';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import { withRetries } from '../http/retry.ts';
import { shortTime } from '../render/short-time.ts';
import {
  findOpeningMessage,
  type OpeningMessage,
  type OpeningMessageOutcome,
} from '../turn/opening-message.ts';

/** The flags with the chosen conversation, and the message to replace in it, or the exit code if none was chosen. */
export type ResumeOutcome =
  | { readonly kind: 'chosen'; readonly turnFlags: TurnFlags; readonly replacedMessage?: OpeningMessage }
  /** No conversation was found or chosen. The person has been told why. */
  | { readonly kind: 'none'; readonly code: ExitCode };

type Conversations = ConversationList['conversations'];

/** Largest number of conversations in a list, which is as many as a person can look through at once. */
const MAX_LISTED = 20;
/** Number of the newest conversations among which the beginning of an id is looked for. */
const PREFIX_CONVERSATIONS = 100;

/**
 * Returns flags that name the conversation which `--resume` means: by its id, by the beginning of one of the newest
 * ids, or as a person chooses it from a list. With `--instead-of` it is the conversation of the turn whose message is
 * replaced. Other flags do not change, and without these two options none does. Throws as `GatewayClient` does.
 */
export const resumeConversation = async (
  context: CliContext,
  turnFlags: TurnFlags,
): Promise<ResumeOutcome> => {
  if (turnFlags.insteadOf !== undefined) {
    return outcomeOfMessage(turnFlags, await findOpeningMessage(context, turnFlags.insteadOf));
  }
  if (turnFlags.resume === false) return { kind: 'chosen', turnFlags };
  return typeof turnFlags.resume === 'string'
    ? findById(context, turnFlags, turnFlags.resume)
    : chooseFromList(context, turnFlags);
};

const outcomeOfMessage = (turnFlags: TurnFlags, outcome: OpeningMessageOutcome): ResumeOutcome => {
  if (outcome.kind === 'none') return outcome;
  const { message: replacedMessage } = outcome;
  return {
    kind: 'chosen',
    turnFlags: { ...turnFlags, conversation: replacedMessage.conversationId, resume: false },
    replacedMessage,
  };
};

const findById = async (
  context: CliContext,
  turnFlags: TurnFlags,
  idOrPrefix: string,
): Promise<ResumeOutcome> => {
  const { conversations, retry, screen, config } = context;
  const listed = await listNewest(context, PREFIX_CONVERSATIONS);
  const matches = listed.filter(({ conversationId }) => conversationId.startsWith(idOrPrefix));
  const [only] = matches;
  const isWhole = matches.some(({ conversationId }) => conversationId === idOrPrefix);
  if (isWhole) return chosenOutcome(turnFlags, idOrPrefix);
  if (matches.length === 1 && only !== undefined) return chosenOutcome(turnFlags, only.conversationId);
  if (matches.length > 1) {
    screen.report(`error: ${idOrPrefix} begins the ids of ${matches.length} conversations:`);
    for (const { conversationId, title } of matches) screen.report(`  ${conversationId}  ${title}`);
    return { kind: 'none', code: EXIT.usage };
  }
  // An older conversation is not among the listed ones, but its whole id names it as well.
  const { total } = await withRetries(retry, () =>
    conversations.listMessages(config.projectId, 1, idOrPrefix),
  );
  if (total > 0) return chosenOutcome(turnFlags, idOrPrefix);
  screen.report(
    `There is no conversation ${idOrPrefix} in project ${config.projectId}: \`orion sessions\` lists them.`,
  );
  return { kind: 'none', code: EXIT.failed };
};

const chooseFromList = async (context: CliContext, turnFlags: TurnFlags): Promise<ResumeOutcome> => {
  const { screen, config, cliProcess } = context;
  if (!cliProcess.stdin.isTTY) {
    screen.report(
      'error: --resume without an id shows a list to choose from, which needs a terminal. --resume <id> continues that conversation (`orion sessions` lists the ids), and -c continues the newest one.',
    );
    return { kind: 'none', code: EXIT.usage };
  }
  const conversations = await listNewest(context, MAX_LISTED);
  if (conversations.length === 0) {
    screen.report(`There is no conversation in project ${config.projectId} yet.`);
    return { kind: 'none', code: EXIT.done };
  }
  for (const line of conversationLines(conversations)) screen.report(line);
  const number = await chooseNumber(context, conversations.length);
  const conversation = number === undefined ? undefined : conversations[number - 1]?.conversationId;
  return conversation === undefined
    ? { kind: 'none', code: EXIT.done }
    : chosenOutcome(turnFlags, conversation);
};

const listNewest = async (
  { conversations, retry, config }: CliContext,
  limit: number,
): Promise<Conversations> =>
  (await withRetries(retry, () => conversations.list(config.projectId, limit))).conversations;

const conversationLines = (conversations: Conversations): readonly string[] =>
  conversations.map(({ title, updatedAt, lastTurn }, index) => {
    const status = lastTurn?.status === 'running' ? ' (running)' : '';
    return `${String(index + 1).padStart(3)}  ${shortTime(updatedAt)}  ${title || '(no words)'}${status}`;
  });

/**
 * Asks for a number from 1 to `maxNumber` until one is given. Returns undefined for an empty line, Ctrl-C or the end of
 * input.
 */
const chooseNumber = async (
  { cliProcess, screen }: CliContext,
  maxNumber: number,
): Promise<number | undefined> => {
  const question = `Which one? 1–${maxNumber}, Enter for none: `;
  const { reply } = await askLine<number | 'none'>(cliProcess, question, (line) => {
    const text = line.trim();
    if (text === '') return 'none';
    const number = /^\d{1,3}$/.test(text) ? Number(text) : 0;
    if (number >= 1 && number <= maxNumber) return number;
    screen.report(`Expected a number from 1 to ${maxNumber}, received ${text}.`);
    return undefined;
  });
  return reply === 'none' ? undefined : reply;
};

const chosenOutcome = (turnFlags: TurnFlags, conversation: string): ResumeOutcome => ({
  kind: 'chosen',
  turnFlags: { ...turnFlags, conversation, resume: false },
});
