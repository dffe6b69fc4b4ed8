import type { ApprovalPolicy } from '../../contracts/inputs/approvals.ts';
import type { CallAnswerReference } from '../../contracts/inputs/reply.ts';
import type {
  InputKind,
  InputRequested,
  InputResolved,
  OptionalInputKind,
  ReplyName,
} from '../../contracts/wire/input-events.ts';
import type { CommitSubject, PrepareInputRequestResult } from '../../contracts/inputs/input-request.ts';
import type { ToolCall } from '../../contracts/tools/tool-call.ts';

/** The question to a person: kind, call, and the replies to choose from. */
export interface InputRequestSpec {
  readonly kind: InputKind;
  /** The call that the request is about. Absent if it is about the turn itself. */
  readonly call?: ToolCall;
  /** The write session that a `commit` would write. */
  readonly session?: CommitSubject;
  readonly options: readonly ReplyName[];
  /** The end of the turn's time, in milliseconds of its clock. By then the request must be prepared. */
  readonly deadline: number;
  /**
   * Returns why a call with the arguments of an `edit`, given as JSON text, may not run. Returns undefined if it may.
   */
  refusalFor?(argumentsText: string): string | undefined;
}

/**
 * What became of preparing a request. `lost` means that it could not be prepared, for example not within the turn's
 * time, so that nobody is asked.
 */
export type InputRequestPreparation =
  | (PrepareInputRequestResult & { readonly kind: 'failed' })
  | (PrepareInputRequestResult & {
      readonly kind: 'ready';
      readonly inputId: string;
      /** When the request expires, in ISO 8601. */
      readonly expiresAt: string;
    })
  | { readonly kind: 'lost' };

/** How an input request was resolved, and how long the turn waited for that. */
export interface ResolvedInputRequest {
  readonly event: InputResolved;
  /** Milliseconds during which nothing of the turn ran. They do not count as its time. */
  readonly waitedMs: number;
  /** The whole arguments of an `edit` as JSON text, which the event may contain only in part. */
  readonly arguments?: string;
  /** Content of the replies `answer` and `result`. Absent for others. */
  readonly answer?: CallAnswerReference;
  /** SHA-256 of the target of a `commit` as it was shown. Null if the target did not exist. */
  readonly before?: string | null;
}

/**
 * The port by which a running turn asks people (docs/inputs.md). `prepare` and `wait` reject when the turn is cancelled
 * meanwhile. Production: `workflows/turn/activity-backed-inputs.ts`. Without this port nobody is asked, and the only
 * calls that are denied are those of tools that need approval.
 */
export interface InputPort {
  readonly policy: ApprovalPolicy;
  /**
   * Decides whether a request of this kind is made now, and returns the decision. A workflow records it in its history,
   * so the rule of `ToolExecutor.choosePollComparison` holds: it is called only where the decision has an effect.
   */
  recordAskDecision(kind: OptionalInputKind): boolean;
  /** Checks and stores a request. Nobody is asked yet. */
  prepare(spec: InputRequestSpec): Promise<InputRequestPreparation>;
  /**
   * Opens the request that was prepared last, and waits until it is resolved. `event` is the text and the default reply
   * that the event of the request will show.
   */
  wait(event: Pick<InputRequested, 'message' | 'default'>): Promise<ResolvedInputRequest>;
}
