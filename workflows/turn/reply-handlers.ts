import { ApplicationFailure, log as workflowLog, setHandler } from '@temporalio/workflow';
import {
  type CallAnswerReference,
  type ReplyRequest,
  replyRequestSchema,
} from '../../src/contracts/inputs/reply.ts';
import type { StoredResolution } from '../../src/contracts/inputs/input-request.ts';
import { replySignal, replyUpdate } from '../../src/temporal/turn-messages.ts';

/** Judges and takes replies. Both methods throw ApplicationFailure for a reply that does not count. */
export interface ReplyHandler {
  /**
   * Judges a reply without taking it. Returns undefined if it would count, or the resolution if the same reply was
   * accepted before.
   */
  judge(request: ReplyRequest): StoredResolution | undefined;
  /** Takes a reply. Returns the resolution that counts. */
  reply(request: ReplyRequest): Promise<StoredResolution>;
}

/** Listens for replies, which come by an update or, if the sender needs no answer, by a signal. */
export const registerReplyHandlers = (inputs: ReplyHandler): void => {
  setHandler(replyUpdate, (request) => inputs.reply(parseReply(request)), {
    validator: (request: unknown) => void inputs.judge(parseReply(request)),
    description:
      'Answers an input request: `{ inputId, reply, argsHash?, arguments?, content?, ok?, note? }`; the first one counts.',
  });
  setHandler(
    replySignal,
    async (request: unknown) => {
      try {
        await inputs.reply(parseReply(request));
      } catch (error) {
        workflowLog.warn('reply ignored', { reason: String(error) });
      }
    },
    { description: 'The same as the update of this name, without an answer.' },
  );
};

/** Parses a reply. Throws ApplicationFailure for a value that is not a reply. */
const parseReply = (request: unknown): ReplyRequest => {
  const parsed = replyRequestSchema.safeParse(request);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw replyRefusalFailure('validation_failed', `${issue?.path.join('.') || 'reply'}: ${issue?.message}`);
};

/**
 * Returns the failure of a reply that does not count, for the reason `code`. `resolution` says how the request was
 * resolved, if it was.
 */
export const replyRefusalFailure = (
  code: string,
  message: string,
  resolution?: StoredResolution,
): ApplicationFailure =>
  ApplicationFailure.create({
    message,
    type: code,
    nonRetryable: true,
    details: resolution ? [{ reply: resolution.reply, by: resolution.by, at: resolution.at }] : [],
  });

/**
 * Returns the answer that a reply gives. A long answer is given by its SHA-256, and its text is kept outside of the
 * history.
 */
export const callAnswerOf = ({ content, contentSha256, ok = true }: ReplyRequest): CallAnswerReference =>
  content === undefined ? { ok, ...(contentSha256 !== undefined && { contentSha256 }) } : { ok, content };
