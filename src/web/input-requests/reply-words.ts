/* Words for replies to input requests. All functions here are pure. */
import type { ReplyBody } from '../../contracts/inputs/reply.ts';
import type { InputResolved, ReplyName } from '../../contracts/wire/input-events.ts';

/** Sends a reply to the request that a component shows. */
export type SendReply = (reply: ReplyBody) => void;

const REPLIES: Readonly<Record<ReplyName, string>> = {
  allow: 'Allowed',
  allow_turn: 'Allowed for this turn',
  edit: 'Allowed with other arguments',
  deny: 'Denied',
  result: 'Answered by the client',
  answer: 'Answered',
  keep_going: 'Went on',
  answer_now: 'Answered with what there was',
};

/** Describes a reply and who gave it: `Allowed by anna`, `Denied: nobody replied in time`. */
export const replyWords = ({ reply, by, note }: InputResolved): string => {
  const noteWords = note === undefined ? '' : `: “${note}”`;
  return `${REPLIES[reply]}${actorWords(by)}${noteWords}`;
};

const actorWords = ({ kind, name }: InputResolved['by']): string => {
  switch (kind) {
    case 'key':
      return ` by ${name ?? 'somebody'}`;
    case 'local':
      return '';
    case 'temporal':
      return ' by way of Temporal';
    case 'expiry':
      return ': nobody replied in time';
    case 'steer':
      return ': a message came instead';
    case 'limit':
      return ': no more requests are allowed now';
    default:
      return kind satisfies never;
  }
};

/**
 * Returns the words for a reply that came too late, after the one that counts. Returns undefined if both say the same.
 */
export const lateWords = (reply: ReplyName, { reply: counted }: InputResolved): string | undefined => {
  // Two answers to a question may have different words.
  if (reply === counted && reply !== 'answer') return undefined;
  return `Your reply (${REPLIES[reply]}) did not count: another one came before it.`;
};
