import type { ApprovalPolicy } from '../../../src/contracts/inputs/approvals.ts';
import type {
  InputResolved,
  OptionalInputKind,
  ReplyName,
} from '../../../src/contracts/wire/input-events.ts';
import type { ToolCall, ToolResult } from '../../../src/contracts/tools/tool-call.ts';
import type { InputRequestSpec, InputPort } from '../../../src/protocol/ports/input-port.ts';

/**
 * What becomes of a request. At a limit `allow` lets the turn go on, and to a question or to a client's call it is the
 * answer.
 */
export type ScriptedReply =
  | 'allow'
  | 'allow_turn'
  | 'deny'
  | 'expiry'
  /** The checks of the call fail (`failed`), or it cannot be prepared at all (`lost`). */
  | 'failed'
  | 'lost'
  /** Other arguments, which count if they may run. */
  | { readonly edit: string };

const AT = '2026-01-05T09:00:00.000Z';
export const SHOWN_HASH = 'a'.repeat(64);
/** The hash of the target that a commit is shown with. */
export const SHOWN_BEFORE = 'c'.repeat(64);
const EDITED_HASH = 'b'.repeat(64);

/** The number of requests of a turn that get a reply; any further one takes its default. */
const MAX_SCRIPTED = 12;
/** Largest number of characters of edited arguments in an event. */
const SHOWN_CHARACTERS = 2_048;

type InputEvent = Parameters<InputPort['wait']>[0];
type Resolution = Pick<InputResolved, 'reply' | 'by'> & Partial<InputResolved>;

/**
 * People who reply by a script, which begins again at its end. `onWait` returns how many milliseconds each reply takes.
 * `describeInputPort` checks it together with the port of the workflow.
 */
export class ScriptedInputs implements InputPort {
  readonly asked: InputRequestSpec[] = [];
  readonly resolved: InputResolved[] = [];
  /**
   * Called for each call whose checks failed before it could run, which counts as executed in the turn. The call of a
   * commit has run before.
   */
  onFailed: (call: ToolCall, result: ToolResult) => void = () => undefined;
  readonly policy: ApprovalPolicy;
  readonly #replies: readonly ScriptedReply[];
  readonly #onWait: () => number;
  readonly #accepted: readonly OptionalInputKind[];
  readonly #cancellation: { readonly isRequested: boolean };
  #prepared: { readonly spec: InputRequestSpec; readonly inputId: string } | undefined;

  constructor(
    policy: ApprovalPolicy,
    replies: readonly ScriptedReply[],
    onWait: () => number = () => 0,
    accepted: readonly OptionalInputKind[] = [],
    cancellation: { readonly isRequested: boolean } = { isRequested: false },
  ) {
    this.policy = policy;
    this.#replies = replies;
    this.#onWait = onWait;
    this.#accepted = accepted;
    this.#cancellation = cancellation;
  }

  recordAskDecision(kind: OptionalInputKind): boolean {
    return kind === 'commit' || this.#accepted.includes(kind);
  }

  async prepare(spec: InputRequestSpec): ReturnType<InputPort['prepare']> {
    this.#throwIfCancelled();
    this.asked.push(spec);
    const reply = this.#reply();
    const { call, kind } = spec;
    if (reply === 'lost') return { kind: 'lost' };
    if (reply === 'failed' && call) {
      const result = failedChecks(call);
      if (kind !== 'commit') this.onFailed(call, result);
      return { kind: 'failed', result };
    }
    const inputId = `r1/${this.asked.length}`;
    this.#prepared = { spec, inputId };
    const isApproved = kind === 'approval' || kind === 'commit';
    const shown = call
      ? { arguments: call.function.arguments, ...(isApproved && { argsHash: SHOWN_HASH }) }
      : {};
    return { kind: 'ready', shown, inputId, expiresAt: AT };
  }

  async wait(event: InputEvent): ReturnType<InputPort['wait']> {
    if (!this.#prepared) throw new Error('wait: expected a request that was prepared');
    const { spec, inputId } = this.#prepared;
    const waitedMs = this.#onWait();
    this.#throwIfCancelled();
    const reply = this.#reply();
    const isBeyondBound = this.asked.length > MAX_SCRIPTED;
    const resolution: Resolution = isBeyondBound
      ? { reply: event.default, by: { kind: 'limit' } }
      : (replyOf(spec, reply) ?? { reply: event.default, by: { kind: 'expiry' } });
    const resolved = { type: 'input_resolved' as const, inputId, at: AT, ...resolution };
    this.resolved.push(resolved);
    const hasAnswer = resolution.reply === 'answer' || resolution.reply === 'result';
    return {
      event: resolved,
      waitedMs,
      ...(resolution.reply === 'edit' && typeof reply === 'object' && { arguments: reply.edit }),
      ...(hasAnswer && { answer: { ok: true, content: 'Blue.' } }),
      ...(spec.kind === 'commit' && { before: SHOWN_BEFORE }),
    };
  }

  #throwIfCancelled(): void {
    if (this.#cancellation.isRequested) throw new Error('the turn was cancelled');
  }

  #reply(): ScriptedReply {
    return this.#replies[(this.asked.length - 1) % this.#replies.length] ?? 'deny';
  }
}

const failedChecks = (call: ToolCall): ToolResult => ({
  toolCallId: call.id,
  toolName: call.function.name,
  success: false,
  error: 'outside the workspace',
  attempts: 1,
  durationMs: 0,
  timestamp: AT,
});

/** Returns the reply of a person. Returns undefined if nobody replies, or if the request does not take the reply. */
const replyOf = (spec: InputRequestSpec, scripted: ScriptedReply): Resolution | undefined => {
  if (scripted === 'expiry') return undefined;
  const reply = replyNameOf(spec.kind, scripted);
  if (!spec.options.includes(reply)) return undefined;
  const by = { kind: 'local' as const };
  if (typeof scripted === 'object') {
    if (spec.refusalFor?.(scripted.edit) !== undefined) return undefined;
    return { reply, by, argsHash: EDITED_HASH, arguments: scripted.edit.slice(0, SHOWN_CHARACTERS) };
  }
  const approves = reply === 'allow' || reply === 'allow_turn';
  return { reply, by, ...(approves && { argsHash: SHOWN_HASH }), ...(reply === 'deny' && { note: 'so' }) };
};

const replyNameOf = (kind: InputRequestSpec['kind'], scripted: ScriptedReply): ReplyName => {
  if (kind === 'limit') return scripted === 'deny' ? 'answer_now' : 'keep_going';
  if (typeof scripted === 'object') return 'edit';
  if (scripted === 'allow' && kind === 'question') return 'answer';
  if (scripted === 'allow' && kind === 'client_tool') return 'result';
  return scripted === 'allow' || scripted === 'allow_turn' ? scripted : 'deny';
};
