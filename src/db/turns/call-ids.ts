import { createHash } from 'node:crypto';
import type { ModelMessage } from '../../contracts/model/model-message.ts';

const LETTERS_AND_DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const ID_CHARACTERS = 9;

/** The turn and the number of one model call: what identifies the call. */
export interface StepKey {
  readonly turnId: string;
  /** The number of the model call: 1, 2, … */
  readonly step: number;
}

/**
 * Returns the messages with tool call ids of Orion's own, nine letters and digits. Providers reuse their ids, and some
 * refuse the ids of other providers, or any that look different. Results must follow their calls in the same order.
 */
export const withOrionCallIds = (messages: readonly ModelMessage[], place: StepKey): ModelMessage[] => {
  let position = 0;
  let pendingIds: string[] = [];
  return messages.map((message) => {
    if (message.role === 'assistant' && message.tool_calls !== undefined) {
      const calls = message.tool_calls.map((call) => ({ ...call, id: callId(place, (position += 1)) }));
      pendingIds = calls.map(({ id }) => id);
      return { ...message, tool_calls: calls };
    }
    if (message.role !== 'tool') return message;
    return { ...message, tool_call_id: pendingIds.shift() ?? message.tool_call_id };
  });
};

/**
 * Returns the id of the call at a position among those of a model call: a hash, so that ids do not repeat in a
 * conversation.
 */
const callId = ({ turnId, step }: StepKey, position: number): string => {
  const digest = createHash('sha256')
    .update(JSON.stringify([turnId, step, position]))
    .digest();
  let remainder = digest.readBigUInt64BE();
  let id = '';
  for (let i = 0; i < ID_CHARACTERS; i += 1) {
    id += LETTERS_AND_DIGITS[Number(remainder % 62n)];
    remainder /= 62n;
  }
  return id;
};
