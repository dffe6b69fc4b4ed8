import type { InfoAnswer } from '../../contracts/http/info-api.ts';
import type { CliContext } from '../parts/cli-context.ts';
import { GatewayRefusal } from '../http/gateway-failures.ts';
import { withRetries } from '../http/retry.ts';

/**
 * Asks the gateway which Orion it is; undefined: one from before it could say. Throws `GatewayUnreachable`: nothing is
 * claimed of a gateway that does not answer.
 */
export const readInfo = async ({ info, retry }: CliContext): Promise<InfoAnswer | undefined> => {
  try {
    return await withRetries(retry, () => info.read());
  } catch (error) {
    if (error instanceof GatewayRefusal && error.status === 404) return undefined;
    throw error;
  }
};

/** The lines for a person who begins to chat: which Orion this is, what it works on and which model answers. */
export const bannerLines = (
  { config }: CliContext,
  info: InfoAnswer | undefined,
  model: string | undefined,
): readonly string[] => {
  const heading = `Orion at ${config.url} · project ${config.projectId}`;
  if (info === undefined) return [`${heading}. /help shows what there is.`];
  const lines = [
    `${heading} · model ${model ?? info.model}${info.model === 'orion-demo' ? ' (built-in demo, no AI)' : ''}`,
    ...(info.workspace === null ? [] : [`workspace ${info.workspace}`]),
    ...(info.temporalUi === null ? [] : [`Temporal Web UI ${info.temporalUi}`]),
  ];
  return [...lines, '/help shows what there is.'];
};

const MAX_CHARACTERS = 2_000;

/**
 * The last question of a conversation and its answer, for who goes on with it. Throws `GatewayUnreachable` or
 * `GatewayRefusal`.
 */
export const readLastExchange = async (
  { turns, retry, config }: CliContext,
  conversationId: string,
): Promise<readonly string[]> => {
  const { messages } = await withRetries(retry, () => turns.messages(config.projectId, 2, conversationId));
  return messages
    .toReversed()
    .filter(({ content }) => content.trim() !== '')
    .map(({ sender, content }) => `${sender === 'user' ? '> ' : ''}${shortened(content.trim())}`);
};

const shortened = (text: string): string =>
  text.length > MAX_CHARACTERS ? `… ${text.slice(-MAX_CHARACTERS).toWellFormed()}` : text;
