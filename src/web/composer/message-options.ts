/* Mode, protocol and model with which messages are sent. All functions here are pure. */
import type { ChatMessage } from '../../contracts/http/message-api.ts';
import type { TurnMode } from '../../contracts/tools/tool-call.ts';
import type { ProtocolName } from '../../contracts/turn/turn-facts.ts';

/** The options with which a message is sent. `model` is undefined for the default of the gateway. */
export interface MessageOptions {
  readonly mode: TurnMode;
  readonly protocol: ProtocolName;
  readonly model: string | undefined;
}

/**
 * Sends a message in the conversation. Without `parentTurnId` the message follows the branch that is shown. With
 * `parentTurnId` it becomes another version beside the turns with that parent, or without a parent if it is null.
 */
export type SendMessage = (content: string, options: MessageOptions, parentTurnId?: string | null) => void;

/** The options of a conversation for which a person has not chosen any. */
export const DEFAULT_OPTIONS: MessageOptions = { mode: 'act', protocol: 'two_stage', model: undefined };

/**
 * Returns the options of a stored message. The gateway stores mode and protocol with it, and the model if the message
 * named one.
 */
export const optionsOfMessage = ({ metadata }: Pick<ChatMessage, 'metadata'>): MessageOptions => {
  const { mode, protocol, model } = metadata as Partial<MessageOptions>;
  return {
    mode: mode ?? DEFAULT_OPTIONS.mode,
    protocol: protocol ?? DEFAULT_OPTIONS.protocol,
    model,
  };
};

/**
 * Returns the options without a model that is no longer offered. `models` are the offered ones; an empty list means
 * that they are not known.
 */
export const withOfferedModel = (options: MessageOptions, models: readonly string[]): MessageOptions =>
  models.length === 0 || models.includes(options.model ?? '') ? options : { ...options, model: undefined };
