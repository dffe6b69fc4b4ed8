import type { InputRequested } from '../../contracts/wire/input-events.ts';
import type { ReplyBody } from '../../contracts/inputs/reply.ts';
import type { InputResponse } from '../../contracts/http/input-api.ts';
import type { CliContext } from '../command-context/cli-context.ts';
import { detailOf, GatewayRefusedError, GatewayUnreachableError } from '../http/gateway-failures.ts';
import { retryUntilWorkerAnswers } from '../http/retry.ts';
import { replyHint } from './input-request-lines.ts';

/** Replies to the requests of a turn at this terminal. */
export interface InputRequestResponder {
  /** Begins to handle a request that the turn has made. */
  open(request: InputRequested): void;
  /** Notes that no reply is needed any longer; may be called when nothing is open. */
  close(): void;
}

/** Creates the responder of one turn. `leave` stops watching the turn, which keeps waiting. */
export type CreateResponder = (leave: () => void) => InputRequestResponder;

/**
 * The result of sending a reply. `closed` means that this terminal need not try again, and `open` that the request may
 * still wait.
 */
export type ReplyAttempt =
  { readonly kind: 'accepted' } | { readonly kind: 'closed' | 'open'; readonly problem: string };

/** The values of `--answer`, which replies to approvals. */
export const AUTO_REPLIES = ['allow', 'deny'] as const;
/** A reply that is given without asking a person. */
export type AutoReply = (typeof AUTO_REPLIES)[number];

/** Codes of refusals after which nobody here can reply to the request any longer. */
const FINAL_REFUSALS: readonly string[] = [
  'input_closed',
  'input_not_found',
  'turn_not_found',
  'turn_ended',
  'unauthorized',
  'forbidden',
];

/**
 * Sends a reply, and repeats it while the gateway or a worker does not answer (`retryUntilWorkerAnswers`). A repeat
 * gets the same response. Throws as `GatewayClient` does.
 */
export const postReply = (
  { inputRequests, retry }: Pick<CliContext, 'inputRequests' | 'retry'>,
  inputId: string,
  body: ReplyBody,
): Promise<InputResponse> => retryUntilWorkerAnswers(retry, () => inputRequests.reply(inputId, body));

/**
 * Sends a reply like `postReply`, but returns a failure of the gateway instead of throwing it, so that the caller can
 * ask again.
 */
export const sendReply = async (
  context: Pick<CliContext, 'inputRequests' | 'retry'>,
  inputId: string,
  body: ReplyBody,
): Promise<ReplyAttempt> => {
  try {
    await postReply(context, inputId, body);
    return { kind: 'accepted' };
  } catch (error) {
    if (error instanceof GatewayRefusedError || error instanceof GatewayUnreachableError) {
      return replyAttemptOf(error);
    }
    throw error;
  }
};

const replyAttemptOf = (error: GatewayRefusedError | GatewayUnreachableError): ReplyAttempt => {
  if (error instanceof GatewayUnreachableError || !FINAL_REFUSALS.includes(error.code)) {
    return { kind: 'open', problem: error.message };
  }
  const reply = detailOf(error, 'reply');
  const by = detailOf(error, 'by');
  const isLate = error.code === 'input_closed' && reply !== undefined && by !== undefined;
  return { kind: 'closed', problem: isLate ? `Somebody was faster: ${reply} by ${by}.` : error.message };
};

/**
 * Creates a responder that replies to approvals by itself, as `--answer` says. Other requests go to `person`; without
 * one, their default reply is sent at once. If the gateway does not accept the reply, that is reported, with the
 * command that replies from another terminal.
 */
export const createAutoResponder = (
  context: Pick<CliContext, 'inputRequests' | 'retry' | 'screen'>,
  autoReply: AutoReply,
  person?: InputRequestResponder,
): InputRequestResponder => ({
  open: (request) => {
    const { kind, argsHash, default: fallback } = request;
    const isApproval = kind === 'approval' || kind === 'commit';
    if (!isApproval && person) return person.open(request);
    const reply = isApproval ? autoReply : fallback;
    const body = { reply, ...(reply === 'allow' && argsHash !== undefined && { argsHash }) };
    void replyOrReport(context, request, body);
  },
  close: () => person?.close(),
});

const replyOrReport = async (
  context: Pick<CliContext, 'inputRequests' | 'retry' | 'screen'>,
  request: InputRequested,
  body: ReplyBody,
): Promise<void> => {
  const attempt = await sendReply(context, request.inputId, body);
  if (attempt.kind !== 'accepted') context.screen.report(`${attempt.problem}\n${replyHint(request)}`);
};
