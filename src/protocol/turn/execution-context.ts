import { BUILT_IN_TOOLS, describeBuiltInTool } from '../../contracts/tools/built-in-tools.ts';
import {
  type ProtocolConfig,
  type ResolvedConfig,
  protocolConfigSchema,
} from '../../contracts/turn/budgets.ts';
import type { ModelMessage } from '../../contracts/model/model-message.ts';
import { type TurnMode, modeSchema, type ToolDeclaration } from '../../contracts/tools/tool-call.ts';
import type { ModelAdapter } from '../ports/model-port.ts';
import type { ToolExecutor } from '../ports/tool-executor.ts';
import type { WriteSessionPort } from '../ports/write-session-port.ts';
import type { InputPort } from '../ports/input-port.ts';
import type { SteerPort } from '../ports/steer-port.ts';
import type { WallClock } from '../ports/wall-clock.ts';
import type { TraceService } from '../ports/trace-service.ts';

/**
 * A user's wish to cancel the turn. The core reads it between its port calls. A cancel ends the turn with the text so
 * far.
 */
export interface Cancellation {
  readonly isRequested: boolean;
}

/**
 * Returns the settings of a run, with defaults filled in. A null or undefined field means the default, as with `??`,
 * and 0 means 0. Throws RangeError, with the name of the field, if a value is out of its bounds.
 */
export const resolveConfig = (config: ProtocolConfig): ResolvedConfig => {
  const givenFields = Object.fromEntries(
    Object.entries(config).filter(([, value]) => (value ?? undefined) !== undefined),
  );
  const parsed = protocolConfigSchema.safeParse(givenFields);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const field = String(issue?.path[0]);
  throw new RangeError(`${field}: ${issue?.message}, received ${JSON.stringify(givenFields[field])}`);
};

/** The parts that a protocol needs to run one turn. */
export interface ExecutionContextParts {
  readonly messages: readonly ModelMessage[];
  readonly mode: TurnMode;
  readonly projectId: string;
  readonly requestId: string;
  readonly adapter: ModelAdapter;
  readonly tools: ToolExecutor;
  readonly traceService: TraceService;
  /** Settings that differ from the defaults. */
  readonly config?: ProtocolConfig | undefined;
  /** Clock of the turn. Without one the turn has no time budget, since the core reads no clock itself. */
  readonly clock?: WallClock | undefined;
  readonly cancellation?: Cancellation | undefined;
  readonly writeSessions?: WriteSessionPort | undefined;
  readonly inputs?: InputPort | undefined;
  readonly steers?: SteerPort | undefined;
}

/**
 * The checked context of a run. The constructor throws Error for a missing or empty field (`<name> is required`) and
 * for an unknown mode, and RangeError for a setting that is out of its bounds.
 */
export class ProtocolExecutionContext {
  readonly messages: readonly ModelMessage[];
  readonly mode: TurnMode;
  readonly projectId: string;
  readonly requestId: string;
  readonly adapter: ModelAdapter;
  readonly tools: ToolExecutor;
  readonly traceService: TraceService;
  /** The complete settings, with defaults for those that were not given. */
  readonly config: ResolvedConfig;
  readonly clock: WallClock | undefined;
  readonly cancellation: Cancellation | undefined;
  readonly writeSessions: WriteSessionPort | undefined;
  readonly inputs: InputPort | undefined;
  readonly steers: SteerPort | undefined;

  constructor(parts: ExecutionContextParts) {
    this.messages = required(parts.messages, 'messages');
    this.mode = knownMode(required(parts.mode, 'mode'));
    this.projectId = required(parts.projectId, 'projectId');
    this.requestId = required(parts.requestId, 'requestId');
    this.adapter = required(parts.adapter, 'adapter');
    this.tools = required(parts.tools, 'tools');
    this.traceService = required(parts.traceService, 'traceService');
    this.config = resolveConfig(parts.config ?? {});
    this.clock = parts.clock;
    this.cancellation = parts.cancellation;
    this.writeSessions = parts.writeSessions;
    this.inputs = parts.inputs;
    this.steers = parts.steers;
  }

  /**
   * Returns the tool with this name or alias. Returns undefined for an unknown name. An executor without `describe` is
   * taken to run the built-in tools.
   */
  describe(name: string): ToolDeclaration | undefined {
    return this.tools.describe ? this.tools.describe(name) : describeBuiltInTool(name);
  }

  /**
   * Returns the names of the tools that the model is offered. They are the built-in tools if the executor has neither
   * `describe` nor `offered`. Returns undefined if it has only `describe`.
   */
  offered(): readonly string[] | undefined {
    const isSilent = this.tools.describe === undefined && this.tools.offered === undefined;
    return isSilent ? BUILT_IN_TOOLS.map(({ name }) => name) : this.tools.offered?.(this.mode);
  }
}

const required = <T>(value: T | null | undefined, name: string): T => {
  if (value === undefined || value === null || value === '') throw new Error(`${name} is required`);
  return value;
};

const knownMode = (mode: TurnMode): TurnMode => {
  const parsed = modeSchema.safeParse(mode);
  if (!parsed.success) throw new Error(`mode: expected plan or act, received ${JSON.stringify(mode)}`);
  return parsed.data;
};
