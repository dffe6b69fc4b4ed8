/*
 * The way in which the questions of the page are answered: as somebody chose, or as they were asked before. All
 * functions here are pure.
 */
import type { ChatMessage } from '../../contracts/http/message-api.ts';
import type { TurnMode } from '../../contracts/tools/tool-call.ts';
import type { ProtocolName } from '../../contracts/turn/turn-facts.ts';

/** How a message is to be answered. `model` is undefined for the gateway's default. */
export interface AskOptions {
  readonly mode: TurnMode;
  readonly protocol: ProtocolName;
  readonly model: string | undefined;
}

/**
 * Asks in the conversation, after all that is shown. `parentTurnId` is the parent of the new turn, which then is a
 * version beside others of that parent. Null means no parent.
 */
export type AskQuestion = (content: string, options: AskOptions, parentTurnId?: string | null) => void;

/** The options of a conversation in which nobody has chosen others. */
export const DEFAULT_OPTIONS: AskOptions = { mode: 'act', protocol: 'two_stage', model: undefined };

/**
 * Returns the options of a stored question: the gateway keeps mode and protocol with it, and the model if it named one.
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
 * Returns options without a model that is no longer offered. `models` are those that are offered, or none if that is
 * not known.
 */
export const withOfferedModel = (options: AskOptions, models: readonly string[]): AskOptions =>
  models.length === 0 || models.includes(options.model ?? '') ? options : { ...options, model: undefined };
