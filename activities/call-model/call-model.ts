import { Context } from '@temporalio/activity';
import type {
  CallModelInput,
  CallModelResult,
  CallModelOutcome,
} from '../../src/contracts/payload/turn-activity-payloads.ts';
import { promptTokens } from '../../src/base/text/message-tokens.ts';
import type { TokenUsage } from '../../src/contracts/model/model-message.ts';
import type { SegmentRepository } from '../../src/db/turns/segment-repository.ts';
import { DurableWriter } from '../../src/live/durable-writer.ts';
import { attemptEpoch } from '../../src/contracts/wire/event-id.ts';
import { fallbackNotice } from '../../src/protocol/turn/notices.ts';
import { withTurnTools } from '../../src/tools/turn-tools/turn-tools.ts';
import type { ToolRegistry } from '../../src/tools/registry.ts';
import { requireFirstRun } from '../attempt/first-run.ts';
import { withHeartbeat, type HeartbeatDeps } from '../attempt/heartbeat.ts';
import type { TracerDeps } from '../attempt/activity-tracer.ts';
import { loadTurnTools } from '../turn/load-turn-tools.ts';
import { AttemptOutput } from './attempt-output.ts';
import { type AttemptPrompt, type AttemptPromptDeps, claimPrompt } from './attempt-prompt.ts';
import { AttemptStop } from './attempt-stop.ts';
import { CallSpend, type CallSpendDeps } from './call-spend.ts';
import { withDatabaseRetries } from '../../src/db/connection/database-retries.ts';
import { type ResolutionDeps, storeResolutions } from '../turn/store-resolutions.ts';
import { ModelTracer } from './model-tracer.ts';
import { openTurnLane, type LaneDeps } from '../turn/turn-lane.ts';
import { ProviderErrorCount } from '../attempt/provider-error-count.ts';
import { readAnswer, type ReadAnswerDeps } from './read-answer.ts';
import type { AppendEvents } from '../turn/append-events.ts';
import { SessionKeepAlive, type SessionKeepAliveDeps } from '../write-session/session-keep-alive.ts';

export interface CallModelDeps
  extends
    LaneDeps,
    ReadAnswerDeps,
    HeartbeatDeps,
    TracerDeps,
    SessionKeepAliveDeps,
    ResolutionDeps,
    AttemptPromptDeps,
    CallSpendDeps {
  readonly registry: ToolRegistry;
  readonly segments: Pick<SegmentRepository, 'store'>;
  readonly appendEvents: AppendEvents;
  /** Counts the tokens of a call that has ended. */
  readonly countTokens: (model: string, usage: TokenUsage) => void;
}

/**
 * Creates the activity that makes one attempt of one model call (docs/architecture.md "The path of one turn", step 3).
 * It claims its epoch, streams the model to the live lane and to the workflow, and stores its segment. It returns the
 * outcome without the text, except for the events in `tail`, which the workflow has not acknowledged.
 */
export const createCallModel =
  (deps: CallModelDeps) =>
  async (input: CallModelInput): Promise<CallModelResult> => {
    requireFirstRun(input);
    const stop = new AttemptStop(input.options.deadline);
    const errors = new ProviderErrorCount();
    const spend = new CallSpend(deps, input, stop);
    try {
      return await withHeartbeat(
        deps,
        () => ({ ...errors.details(), ...spend.details() }),
        () => runAttempt(deps, input, { stop, errors, spend }),
      );
    } finally {
      stop.dispose();
    }
  };

/** The parts of an attempt that exist before it has claimed an epoch. */
interface AttemptMonitors {
  readonly stop: AttemptStop;
  readonly errors: ProviderErrorCount;
  readonly spend: CallSpend;
}

const runAttempt = async (
  deps: CallModelDeps,
  input: CallModelInput,
  monitors: AttemptMonitors,
): Promise<CallModelResult> => {
  const { stop, spend } = monitors;
  const { prompt, registry, size, refusal } = await prepareAttempt(deps, input, monitors);
  const { epoch } = prompt;
  const { lane, durable, output } = openOutput(deps, input, epoch, stop);
  const tracer = new ModelTracer(deps, input, epoch);
  const keepAlive = new SessionKeepAlive(deps, input);
  tracer.recordCall(prompt);
  try {
    // An epoch other than the step's first belongs to a later attempt, which withdraws what earlier ones have shown.
    if (epoch !== attemptEpoch(input.step, 1)) await output.reset();
    if (refusal === undefined) emitFallbackNotice(input, output);
    const attempt = { ...monitors, input, prompt, output, tracer, keepAlive };
    const outcome = refusal ?? (await readAnswer({ model: deps.model, registry }, attempt));
    tracer.recordResult(outcome, spend.costOf(outcome), prompt.leftOut);
    if (outcome.kind === 'ended') deps.countTokens(input.model, outcome.usage);
    const tail = await durable.finish();
    // A cancel of the user does not end this, because what the model has said until then counts.
    await withDatabaseRetries(async () => {
      await Promise.all([deps.segments.store(input.turnId, epoch, output.segment()), spend.settle(outcome)]);
    }, stop.lossSignal);
    return { outcome: withPromptFacts(outcome, size, prompt), tail };
  } catch (error) {
    await spend.abandon();
    throw error;
  } finally {
    durable.stop();
    await Promise.all([lane.close(), tracer.close()]);
  }
};

/** What is known about an attempt before the provider is asked. */
interface PreparedAttempt {
  readonly prompt: AttemptPrompt;
  /** The tools of all turns and those of this turn. */
  readonly registry: ToolRegistry;
  /** Estimated number of tokens of the prompt and of the tools that it offers. */
  readonly size: number;
  /** The outcome of a call that must not be made. Undefined if it may be made. */
  readonly refusal: CallModelOutcome | undefined;
}

/**
 * Claims an epoch for the attempt, makes its prompt fit, and reserves its cost. Throws when the attempt is no longer
 * wanted.
 */
const prepareAttempt = async (
  deps: CallModelDeps,
  input: CallModelInput,
  { stop, spend }: AttemptMonitors,
): Promise<PreparedAttempt> => {
  const prompt = await claimPrompt({ deps, input, stop });
  await storeResolutions(deps, input);
  const registry = withTurnTools(deps.registry, await loadTurnTools(deps, input));
  const tools = input.options.tools ? registry.definitions(input.mode) : [];
  await prompt.fit(promptTokens([], tools));
  const { epoch, messages } = prompt;
  const size = promptTokens(messages, tools);
  const refusal = tooLargeOutcome(input, size) ?? (await spend.reserve({ epoch, messages, tools }));
  return { prompt, registry, size, refusal };
};

/**
 * Opens the two ways of an attempt's events: the live lane, which sends each event at once, and the durable writer,
 * which brings batches to the workflow.
 */
const openOutput = (deps: CallModelDeps, input: CallModelInput, epoch: number, stop: AttemptStop) => {
  const lane = openStepLane(deps, input, epoch, stop);
  const { log } = Context.current();
  const durable = new DurableWriter({
    send: (batches) => deps.appendEvents(input, batches),
    isLaneHealthy: () => lane.isHealthy,
    onGone: () => stop.stop('gone'),
    log: {
      warn: (fields, message) => {
        log.warn(message, { ...fields });
      },
    },
  });
  const output = new AttemptOutput({ epoch, fromSeq: input.fromSeq, after: input.after }, lane, durable);
  return { lane, durable, output };
};

/**
 * Opens the live lane, on which readers see an attempt as it goes. Controls that come back on it may stop the attempt.
 */
const openStepLane = (deps: CallModelDeps, input: CallModelInput, epoch: number, stop: AttemptStop) =>
  openTurnLane(deps, input, epoch, (control) => {
    if (control === 'cancel') stop.stop('cancelled');
    else if (control === 'fenced') stop.stop('superseded');
    else if (control.interrupt === input.step) stop.stop('steered');
  });

/** Tells readers, before the answer, which model gives it. Does nothing if no model was replaced in this step. */
const emitFallbackNotice = ({ insteadOf, model }: CallModelInput, output: AttemptOutput): void => {
  if (insteadOf === undefined) return;
  const { chunk, notice } = fallbackNotice(insteadOf, model);
  output.emit({ type: 'chunk', content: chunk, notice });
};

/**
 * Adds what the workflow does not know about the prompt. A failed call gets the number of its tokens, which tells
 * whether the prompt fits into another model's window. Any other call gets the results that its prompt left out,
 * because the reads that gave these may run again.
 */
const withPromptFacts = (
  outcome: CallModelOutcome,
  size: number,
  { leftOut }: AttemptPrompt,
): CallModelOutcome => {
  if (outcome.kind === 'failed') return { ...outcome, promptTokens: size };
  return leftOut && leftOut.results.length > 0 ? { ...outcome, leftOut: leftOut.results } : outcome;
};

/**
 * Returns the failure of a call whose prompt is larger than the window of its fallback model. The workflow may then try
 * another fallback. Returns undefined if the prompt fits, or if the model is the turn's own.
 */
const tooLargeOutcome = (
  { model, maxPromptTokens = Infinity }: CallModelInput,
  size: number,
): CallModelOutcome | undefined => {
  if (size <= maxPromptTokens) return undefined;
  const message = `The prompt has about ${size} tokens, and ${model} takes ${maxPromptTokens}.`;
  return { kind: 'failed', code: 'model_unavailable', message };
};
