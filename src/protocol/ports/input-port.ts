import type { ApprovalPolicy } from '../../contracts/inputs/approvals.ts';
import type { GivenAnswer } from '../../contracts/inputs/reply.ts';
import type {
  InputKind,
  InputRequested,
  InputResolved,
  OptionalInput,
  ReplyName,
} from '../../contracts/wire/input-events.ts';
import type { CommitSubject, InputPreparation } from '../../contracts/inputs/input-request.ts';
import type { ToolCall } from '../../contracts/tools/tool-call.ts';

/** The question to a person: kind, call, and the replies to choose from. */
export interface InputRequestSpec {
  readonly kind: InputKind;
  /** The call that is asked about. Absent if the turn itself is. */
  readonly call?: ToolCall;
  /** The write session that a `commit` would write. */
  readonly session?: CommitSubject;
  readonly options: readonly ReplyName[];
  /** End of the turn's time, by its clock: preparing a request takes no longer than that. */
  readonly deadline: number;
  /**
   * Returns why a call with the edited arguments (JSON text) of an `edit` may not run. Returns undefined when it may.
   */
  refusalFor?(argumentsText: string): string | undefined;
}

/** `lost`: the request could not be prepared within the turn's time, and takes its default. */
export type PreparedInput =
  | (InputPreparation & { readonly kind: 'failed' })
  | (InputPreparation & {
      readonly kind: 'ready';
      readonly inputId: string;
      /** ISO 8601. */
      readonly expiresAt: string;
    })
  | { readonly kind: 'lost' };

/** The end of an input request: the event that says so, and how long the turn waited. */
export interface InputOutcome {
  readonly event: InputResolved;
  /** Milliseconds during which nothing of the turn ran: its clock stood still. */
  readonly waitedMs: number;
  /** All of the arguments of an `edit`, which the event may cut. */
  readonly arguments?: string;
  /** Content of the replies `answer` and `result`. */
  readonly answer?: GivenAnswer;
  /** SHA-256 of the target of a `commit` as it was shown. Null if the target did not exist. */
  readonly before?: string | null;
}

/**
 * The port by which a running turn asks people (docs/inputs.md). Both methods reject when the turn is cancelled
 * meanwhile. Production: `workflows/turn/activity-backed-inputs.ts`. Without this port nobody is asked and nothing is
 * denied.
 */
export interface InputPort {
  readonly policy: ApprovalPolicy;
  /** True when requests of this kind may be made; read only where that decides what happens. */
  accepts(kind: OptionalInput): boolean;
  /** Checks and stores a request. Nobody is asked yet. */
  prepare(spec: InputRequestSpec): Promise<PreparedInput>;
  /** Opens the request that was prepared last, whose event this is, and waits for what resolves it. */
  wait(event: Pick<InputRequested, 'message' | 'default'>): Promise<InputOutcome>;
}
