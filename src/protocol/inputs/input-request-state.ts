import type { ReplyBody, ReplyRefusal, ReplyRequest } from '../../contracts/inputs/reply.ts';
import type { StoredResolution } from '../../contracts/inputs/input-request.ts';
import type { InputActor, ReplyName } from '../../contracts/wire/input-events.ts';
import { contentRefOf } from '../../write-session/content-ref.ts';
import { canonicalJson } from '../../contracts/values/canonical-json.ts';

/** An input request that waits for a reply, with what its replies are judged by. */
export interface OpenInputRequest {
  readonly inputId: string;
  readonly options: readonly ReplyName[];
  /** The reply that counts when nobody replies. */
  readonly default: ReplyName;
  /** Hash of what the request shows. Absent when there is nothing to approve. */
  readonly argsHash?: string;
  /** Returns why a call with other arguments may not run. Returns undefined when it may. */
  refusalFor?(argumentsText: string): string | undefined;
}

/** The judgement of a reply at this moment. `same` means that the reply was given before, with this result. */
export type ReplyVerdict =
  | { readonly kind: 'counts' }
  | { readonly kind: 'same'; readonly resolution: StoredResolution }
  | {
      readonly kind: 'refused';
      readonly code: ReplyRefusal;
      readonly message: string;
      readonly resolution?: StoredResolution;
    };

interface TrackedRequest {
  readonly input: OpenInputRequest;
  resolution?: StoredResolution;
  /** True when the turn stopped waiting before the request was resolved, as after a cancel. */
  isAbandoned?: true;
  /** Number of `edit` replies whose arguments failed the checks of a worker. */
  failedEdits: number;
}

/**
 * Number of `edit` replies to one request that may fail the checks. Each costs an activity and events of the history,
 * and anybody who may reply could send them without end.
 */
const MAX_FAILED_EDITS = 20;

/**
 * Returns the hash of a reply. Replies with the same hash are the same reply, whoever gives them and whatever their
 * notes say.
 */
export const replyHashOf = ({
  reply,
  argsHash,
  arguments: editedArguments,
  content,
  contentSha256,
  ok,
}: ReplyBody & Pick<ReplyRequest, 'contentSha256'>): string => {
  const sha256 = content === undefined ? contentSha256 : contentRefOf(content).sha256;
  return contentRefOf(canonicalJson({ reply, argsHash, arguments: editedArguments, content: sha256, ok }))
    .sha256;
};

const BRINGS_CONTENT: ReadonlySet<ReplyName> = new Set(['answer', 'result']);
const APPROVES: ReadonlySet<ReplyName> = new Set(['allow', 'allow_turn', 'edit']);

/**
 * Decides which reply resolves a request: the first that fits, for good (docs/inputs.md "Who decides"). It is plain
 * state, which a replay builds again. Judging changes nothing, so that a refused reply leaves no trace.
 */
export class InputRequestState {
  readonly #entries: TrackedRequest[] = [];

  /** Adds a request. From now on replies to it can count. */
  open(input: OpenInputRequest): void {
    this.#entries.push({ input, failedEdits: 0 });
  }

  /** Returns how a request was resolved. Returns undefined if it was not, or is unknown. */
  resolutionOf(inputId: string): StoredResolution | undefined {
    return this.#find(inputId)?.resolution;
  }

  /** Judges whether a reply would count now, and changes nothing. */
  judge(request: ReplyRequest): ReplyVerdict {
    const entry = this.#find(request.inputId);
    if (!entry) return refusedReply('input_not_found', `There is no input request ${request.inputId}.`);
    const { input, resolution } = entry;
    if (resolution) {
      return resolution.replyHash === replyHashOf(request)
        ? { kind: 'same', resolution }
        : refusedReply('input_closed', closedText(resolution), resolution);
    }
    if (entry.isAbandoned) return refusedReply('input_closed', 'The turn has ended.');
    if (request.reply === 'edit' && entry.failedEdits >= MAX_FAILED_EDITS) {
      const expected = `expected at most ${MAX_FAILED_EDITS} edits that fail, received one more: reply allow or deny`;
      return refusedReply('validation_failed', `edit: ${expected}`);
    }
    return judgeOpen(input, request);
  }

  /**
   * Resolves a request, unless it was resolved before. Returns the resolution that counts, which is the first. For an
   * unknown request it only returns `resolution`.
   */
  resolve(inputId: string, resolution: StoredResolution): StoredResolution {
    const entry = this.#find(inputId);
    if (!entry) return resolution;
    entry.resolution ??= resolution;
    return entry.resolution;
  }

  /** Notes that the arguments of an `edit` failed the checks of a worker. */
  noteFailedEdit(inputId: string): void {
    const entry = this.#find(inputId);
    if (entry) entry.failedEdits += 1;
  }

  /** Resolves a request by its default, unless it was resolved before. Returns the resolution that counts. */
  takeDefault(inputId: string, by: InputActor['kind'], at: string): StoredResolution {
    const reply = this.#find(inputId)?.input.default ?? 'deny';
    return this.resolve(inputId, { inputId, reply, by: { kind: by }, at });
  }

  /** Closes all requests that are open. Replies that come later are refused. */
  abandon(): void {
    for (const entry of this.#entries) if (!entry.resolution) entry.isAbandoned = true;
  }

  #find(inputId: string): TrackedRequest | undefined {
    return this.#entries.find(({ input }) => input.inputId === inputId);
  }
}

const closedText = ({ reply, by, at }: StoredResolution): string =>
  `The request is closed: ${reply} by ${by.name ?? by.kind} at ${at}.`;

const judgeOpen = (input: OpenInputRequest, request: ReplyRequest): ReplyVerdict => {
  const { reply, argsHash, arguments: editedArguments, ok } = request;
  if (!input.options.includes(reply)) {
    return refusedReply(
      'validation_failed',
      `reply: expected ${input.options.join(', ')}, received ${reply}`,
    );
  }
  if (BRINGS_CONTENT.has(reply) && request.content === undefined && request.contentSha256 === undefined) {
    return refusedReply('validation_failed', 'content: expected a text, received nothing');
  }
  if (reply === 'result' && ok === undefined) {
    return refusedReply('validation_failed', 'ok: expected true or false, received nothing');
  }
  if (!APPROVES.has(reply)) return { kind: 'counts' };
  if (argsHash === undefined) {
    return refusedReply('validation_failed', 'argsHash: expected that of the request, received nothing');
  }
  if (argsHash !== input.argsHash) {
    return refusedReply('input_changed', 'The request is about something else than was approved.');
  }
  if (reply !== 'edit') return { kind: 'counts' };
  if (editedArguments === undefined) {
    return refusedReply('validation_failed', 'arguments: expected an object, received nothing');
  }
  const refusal = input.refusalFor?.(JSON.stringify(editedArguments));
  return refusal === undefined
    ? { kind: 'counts' }
    : refusedReply('validation_failed', `arguments: ${refusal}`);
};

const refusedReply = (code: ReplyRefusal, message: string, resolution?: StoredResolution): ReplyVerdict => ({
  kind: 'refused',
  code,
  message,
  ...(resolution && { resolution }),
});
