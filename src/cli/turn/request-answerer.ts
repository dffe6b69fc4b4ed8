import type { InputRequested } from '../../contracts/wire/input-events.ts';
import type { ReplyBody } from '../../contracts/inputs/reply.ts';
import type { InputAnswer } from '../../contracts/http/input-api.ts';
import type { CliContext } from '../parts/cli-context.ts';
import { detailOf, GatewayRefusal, GatewayUnreachable } from '../http/gateway-failures.ts';
import { untilWorkerAnswers } from '../http/retry.ts';
import { replyHint } from './request-lines.ts';

/** Answers the requests of a turn at this terminal. */
export interface RequestAnswerer {
  open(request: InputRequested): void;
  /** Notes that no reply is needed any longer; may be called when nothing is open. */
  close(): void;
}

/** Makes the answerer of one turn; `leave` stops watching the turn, which goes on waiting. */
export type CreateAnswerer = (leave: () => void) => RequestAnswerer;

/** The result of a reply. `over`: this terminal need not try again; `open`: the request waits as before. */
export type ReplyEnd =
  { readonly kind: 'taken' } | { readonly kind: 'over' | 'open'; readonly problem: string };

/** The values of `--answer`, which replies to approvals. */
export const STANDING_ANSWERS = ['allow', 'deny'] as const;
/** A reply that is given without asking a person. */
export type StandingAnswer = (typeof STANDING_ANSWERS)[number];

/** Codes of refusals after which nobody here can reply to the request any longer. */
const OVER: readonly string[] = [
  'input_closed',
  'input_not_found',
  'turn_not_found',
  'turn_ended',
  'unauthorized',
  'forbidden',
];

/** Sends a reply; a repeat gets the same answer. Throws `GatewayUnreachable` or `GatewayRefusal`. */
export const postReply = (
  { inputs, retry }: Pick<CliContext, 'inputs' | 'retry'>,
  inputId: string,
  body: ReplyBody,
): Promise<InputAnswer> => untilWorkerAnswers(retry, () => inputs.reply(inputId, body));

/** Sends a reply, as often as needed; a refusal is returned, too, for a caller that can ask again. */
export const sendReply = async (
  context: Pick<CliContext, 'inputs' | 'retry'>,
  inputId: string,
  body: ReplyBody,
): Promise<ReplyEnd> => {
  try {
    await postReply(context, inputId, body);
    return { kind: 'taken' };
  } catch (error) {
    if (error instanceof GatewayRefusal || error instanceof GatewayUnreachable) return replyEndOf(error);
    throw error;
  }
};

const replyEndOf = (error: GatewayRefusal | GatewayUnreachable): ReplyEnd => {
  if (error instanceof GatewayUnreachable || !OVER.includes(error.code)) {
    return { kind: 'open', problem: error.message };
  }
  const reply = detailOf(error, 'reply');
  const by = detailOf(error, 'by');
  const isLate = error.code === 'input_closed' && reply !== undefined && by !== undefined;
  return { kind: 'over', problem: isLate ? `Somebody was faster: ${reply} by ${by}.` : error.message };
};

const replyOrTell = async (
  context: Pick<CliContext, 'inputs' | 'retry' | 'screen'>,
  request: InputRequested,
  body: ReplyBody,
): Promise<void> => {
  const end = await sendReply(context, request.inputId, body);
  if (end.kind !== 'taken') context.screen.say(`${end.problem}\n${replyHint(request)}`);
};

/**
 * Replies by itself to approvals, as `--answer` says. Other requests go to the `person`; where there is none, the
 * default is sent at once. A reply that is not taken is reported, and the request waits.
 */
export const createStandingAnswerer = (
  context: Pick<CliContext, 'inputs' | 'retry' | 'screen'>,
  answer: StandingAnswer,
  person?: RequestAnswerer,
): RequestAnswerer => ({
  open: (request) => {
    const { kind, argsHash, default: fallback } = request;
    const isApproval = kind === 'approval' || kind === 'commit';
    if (!isApproval && person) return person.open(request);
    const reply = isApproval ? answer : fallback;
    const body = { reply, ...(reply === 'allow' && argsHash !== undefined && { argsHash }) };
    void replyOrTell(context, request, body);
  },
  close: () => person?.close(),
});
