/* Mode, protocol and model with which questions are asked. All functions here are pure. */
import type { ChatMessage } from '../../contracts/http/message-api.ts';
import type { TurnMode } from '../../contracts/tools/tool-call.ts';
import type { ProtocolName } from '../../contracts/turn/turn-facts.ts';

/** The options with which a question is asked. `model` is undefined for the default of the gateway. */
export interface AskOptions {
  readonly mode: TurnMode;
  readonly protocol: ProtocolName;
  readonly model: string | undefined;
}

/**
 * Asks a question in the conversation. Without `parentTurnId` the question follows the branch that is shown. With
 * `parentTurnId` it becomes another version beside the turns with that parent, or without a parent if it is null.
 */
export type AskQuestion = (content: string, options: AskOptions, parentTurnId?: string | null) => void;

/** The options of a conversation for which a person has not chosen any. */
export const DEFAULT_OPTIONS: AskOptions = { mode: 'act', protocol: 'two_stage', model: undefined };

/**
 * Returns the options of a stored question. The gateway stores mode and protocol with it, and the model if the question
 * named one.
 */
export const optionsOfMessage = ({ metadata }: Pick<ChatMessage, 'metadata'>): AskOptions => {
  const { mode, protocol, model } = metadata as Partial<AskOptions>;
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
export const withOfferedModel = (options: AskOptions, models: readonly string[]): AskOptions =>
  models.length === 0 || models.includes(options.model ?? '') ? options : { ...options, model: undefined };
