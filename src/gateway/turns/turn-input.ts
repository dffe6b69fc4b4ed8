import type { Projects } from '../../config/files/projects-file.ts';
import { type Budgets, MAX_LATE_ANSWERS, MAX_PHASE_CYCLES } from '../../contracts/turn/budgets.ts';
import type { FallbackModel } from '../../contracts/model/fallback-model.ts';
import { allowsEverything } from '../../contracts/inputs/approvals.ts';
import type { InputSettings, TurnInput } from '../../contracts/payload/turn-workflow-payloads.ts';
import type { TurnOrigin } from '../../db/turns/turn-insert.ts';
import type { NewTurn } from '../ports/new-turn.ts';

/** The part of a turn's input that comes from the configuration. */
export interface TurnDefaults {
  readonly budgets: Budgets;
  readonly model: string;
  /** The models that take over calls, by the name of the model that they replace. */
  readonly fallbacks: ReadonlyMap<string, readonly FallbackModel[]>;
  /** The largest cost of a turn, in whole millionths of the currency. Absent means no limit. */
  readonly maxTurnCost?: number | undefined;
  readonly toolResultRole: TurnInput['toolResultRole'];
  readonly projects: Projects;
  readonly heartbeatTimeoutMs: number;
  readonly sessionInactivityMs: number;
  readonly inputs: InputSettings;
  /** True when a webhook is notified of what turns wait for, and of how they end. */
  readonly notifies: boolean;
  /** The largest number of tools that a turn may run in all, whatever it asks for or is granted. */
  readonly maxPhaseCyclesLimit: number;
  /** Base URL of this gateway for the live lane. Undefined when the lane is off. */
  readonly liveLane: string | undefined;
}

/**
 * Returns the input of a new turn's workflow: what its request asks for, and the configuration's defaults for the rest.
 * `hasSearchAttributes` says whether the namespace has Orion's search attributes.
 */
export const turnInputOf = (
  defaults: TurnDefaults,
  turn: NewTurn,
  hasSearchAttributes: boolean,
): TurnInput => ({
  revision: 1,
  turnId: turn.turnId,
  projectId: turn.projectId,
  conversationId: turn.conversationId,
  content: turn.content,
  mode: turn.mode,
  protocol: turn.protocol,
  model: turn.model ?? defaults.model,
  ...turnFallbacksOf(defaults, turn),
  toolResultRole: defaults.toolResultRole,
  heartbeatTimeoutMs: defaults.heartbeatTimeoutMs,
  sessionInactivityMs: defaults.sessionInactivityMs,
  budgets: { ...defaults.budgets, maxPhaseCycles: turn.maxPhaseCycles ?? defaults.budgets.maxPhaseCycles },
  ...temperatureOf(defaults, turn),
  ...inputsOf(defaults, turn),
  ...(defaults.notifies && { notifies: true }),
  ...(defaults.maxPhaseCyclesLimit !== MAX_PHASE_CYCLES && {
    maxPhaseCyclesLimit: defaults.maxPhaseCyclesLimit,
  }),
  maxLateAnswers: MAX_LATE_ANSWERS,
  ...((defaults.maxTurnCost ?? turn.costPerDay) !== undefined && { isBudgeted: true }),
  ...(turn.writeSession !== undefined && { writeSession: turn.writeSession }),
  ...(defaults.liveLane !== undefined && { liveLane: defaults.liveLane }),
  searchAttributes: hasSearchAttributes,
});

/**
 * Returns the turn's settings for asking people. They are absent if nobody is ever asked, so the input of such a turn
 * looks as it did before input requests existed.
 */
const inputsOf = (
  { inputs: { approvals, expiryMs } }: TurnDefaults,
  { approvals: requested, inputs = [], clientTools = [] }: NewTurn,
): Pick<TurnInput, 'inputs'> => {
  const policy = { ...approvals, ...(requested !== undefined && { requested }) };
  const accepts = [...new Set(inputs), ...(clientTools.length > 0 ? ['client_tool' as const] : [])];
  if (allowsEverything(policy) && accepts.length === 0) return {};
  return { inputs: { approvals: policy, expiryMs, ...(accepts.length > 0 && { accepts }) } };
};

/**
 * Returns the temperature that the project has for this mode. It is absent if the project has none, and the core then
 * takes its own.
 */
const temperatureOf = (
  { projects }: TurnDefaults,
  { projectId, mode }: NewTurn,
): Pick<TurnInput, 'temperature'> => {
  const temperature = projects.get(projectId)?.temperature?.[mode];
  return temperature === undefined ? {} : { temperature };
};

/** Returns the models that may take over calls of the turn's model. The field is absent if there are none. */
const turnFallbacksOf = ({ model, fallbacks }: TurnDefaults, turn: NewTurn): Pick<TurnInput, 'fallbacks'> => {
  const turnFallbacks = fallbacks.get(turn.model ?? model) ?? [];
  return turnFallbacks.length === 0 ? {} : { fallbacks: turnFallbacks };
};

/**
 * Returns what is stored of a new turn beside its input: the client's metadata and tools, the turn that it continues,
 * and the limits of its cost.
 */
export const turnOriginOf = (
  { maxTurnCost }: TurnDefaults,
  { metadata, clientTools, parentTurnId, costPerDay }: NewTurn,
): TurnOrigin => ({
  sender: 'user',
  metadata,
  ...(parentTurnId !== undefined && { parentTurnId }),
  ...(clientTools && { clientTools }),
  costLimits: {
    ...(maxTurnCost !== undefined && { turn: maxTurnCost }),
    ...(costPerDay !== undefined && { day: costPerDay }),
  },
});
