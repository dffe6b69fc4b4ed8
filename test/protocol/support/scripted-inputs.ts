import type { ApprovalPolicy } from '../../../src/contracts/inputs/approvals.ts';
import type { InputResolved, OptionalInput } from '../../../src/contracts/wire/input-events.ts';
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

/**
 * People who reply by a script, which begins again at its end. `onWait` returns how many milliseconds each reply takes.
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
  readonly #accepted: readonly OptionalInput[];
  #prepared = 0;

  constructor(
    policy: ApprovalPolicy,
    replies: readonly ScriptedReply[],
    onWait: () => number = () => 0,
    accepted: readonly OptionalInput[] = [],
  ) {
    this.policy = policy;
    this.#replies = replies;
    this.#onWait = onWait;
    this.#accepted = accepted;
  }

  accepts(kind: OptionalInput): boolean {
    return kind === 'commit' || this.#accepted.includes(kind);
  }

  prepare(ask: InputRequestSpec): ReturnType<InputPort['prepare']> {
    this.asked.push(ask);
    const reply = this.#reply();
    const { call } = ask;
    if (reply === 'lost') return Promise.resolve({ kind: 'lost' });
    if (reply === 'failed' && call) {
      const result = {
        toolCallId: call.id,
        toolName: call.function.name,
        success: false,
        error: 'outside the workspace',
        attempts: 1,
        durationMs: 0,
        timestamp: AT,
      };
      if (ask.kind !== 'commit') this.onFailed(call, result);
      return Promise.resolve({ kind: 'failed', result });
    }
    this.#prepared += 1;
    return Promise.resolve({
      kind: 'ready',
      shown: call ? { argsHash: SHOWN_HASH, arguments: call.function.arguments } : {},
      inputId: `r1/${this.#prepared}`,
      expiresAt: AT,
    });
  }

  wait(): ReturnType<InputPort['wait']> {
    const reply = this.#reply();
    const waitedMs = this.#onWait();
    const inputId = `r1/${this.#prepared}`;
    const resolve = (more: Pick<InputResolved, 'reply' | 'by'> & Partial<InputResolved>): InputResolved => {
      const event = { type: 'input_resolved' as const, inputId, at: AT, ...more };
      this.resolved.push(event);
      return event;
    };
    const by = { kind: 'local' as const };
    const ask = this.asked.at(-1);
    if (this.asked.length > MAX_SCRIPTED) {
      const fallback = ask?.kind === 'limit' ? 'answer_now' : 'deny';
      return Promise.resolve({ event: resolve({ reply: fallback, by: { kind: 'limit' } }), waitedMs });
    }
    if (ask?.kind === 'limit') {
      const goesOn = reply !== 'deny' && reply !== 'expiry';
      return Promise.resolve({
        event: resolve({ reply: goesOn ? 'keep_going' : 'answer_now', by }),
        waitedMs,
      });
    }
    if (reply === 'allow' && (ask?.kind === 'question' || ask?.kind === 'client_tool')) {
      const event = resolve({ reply: ask.kind === 'question' ? 'answer' : 'result', by });
      return Promise.resolve({ event, waitedMs, answer: { ok: true, content: 'Blue.' } });
    }
    if (typeof reply === 'object') {
      const mayRun = ask?.refusalFor?.(reply.edit) === undefined;
      const event = mayRun
        ? resolve({ reply: 'edit', by, argsHash: EDITED_HASH })
        : resolve({ reply: 'deny', by: { kind: 'expiry' } });
      return Promise.resolve({ event, waitedMs, ...(mayRun && { arguments: reply.edit }) });
    }
    if (reply === 'expiry') {
      return Promise.resolve({ event: resolve({ reply: 'deny', by: { kind: 'expiry' } }), waitedMs });
    }
    const name = reply === 'allow' || reply === 'allow_turn' ? reply : 'deny';
    const event = resolve({ reply: name, by, note: 'so' });
    return Promise.resolve({ event, waitedMs, ...(ask?.kind === 'commit' && { before: SHOWN_BEFORE }) });
  }

  #reply(): ScriptedReply {
    return this.#replies[(this.asked.length - 1) % this.#replies.length] ?? 'deny';
  }
}
