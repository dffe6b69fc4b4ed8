import { ActivityFailure, CancellationScope, isCancellation, proxyActivities } from '@temporalio/workflow';
import type { TurnActivities } from '../../activities/create-activities.ts';
import type { CallModelInput, CallModelResult } from '../../src/contracts/payload/turn-activity-payloads.ts';
import { errorMessage } from '../../src/contracts/values/error-message.ts';
import type { ModelMessage } from '../../src/contracts/model/model-message.ts';
import type { ToolDeclaration } from '../../src/contracts/tools/tool-call.ts';
import type { TurnEvent } from '../../src/contracts/wire/turn-event.ts';
import { jsonBytes } from '../../src/protocol/event-log/event-weight.ts';
import { type ModelAnswer, type ModelPort, ModelCallError } from '../../src/protocol/ports/model-port.ts';
import type { StepStart } from '../../src/protocol/event-log/turn-log.ts';
import { estimateUsage } from '../../src/protocol/stream/token-usage.ts';
import { llmCallKey, llmResultKey } from '../../src/contracts/turn/trace-keys.ts';
import { callModelOptions, SCHEDULE_TO_CLOSE_SET_PER_CALL } from '../sdk/activity-options.ts';
import { SentStepMessages } from './sent-step-messages.ts';
import { modelAnswerOf, adaptModelAnswer } from './model-answer.ts';
import { type CalledModel, ModelChoice } from './model-choice.ts';
import type { TurnRun } from './turn-run.ts';
import { isTurnSuperseded } from './superseded-run.ts';
import { takeActivityInput } from './activity-input.ts';
import type { ModelStopReason, StreamOptions } from '../../src/contracts/model/stream-options.ts';

const { callModel } = proxyActivities<Pick<TurnActivities, 'callModel'>>(SCHEDULE_TO_CLOSE_SET_PER_CALL);

/**
 * Largest size in bytes of JSON of the messages that one call adds. Temporal refuses an input above 2 MiB by failing
 * the workflow task again and again, so the turn would hang. Only dozens of large tool results in one answer come near
 * this, more than most models can read.
 */
const MAX_MESSAGE_BYTES = 1_750_000;

/**
 * The model port inside the workflow. Its activity `callModel` reads the stream of one model and shows it to readers.
 * If another model takes over, a call has several such activities. Signals and the activity's tail bring what the model
 * said into the log. The text of the answer is taken from the log, so that the core has exactly what readers hold
 * (docs/architecture.md "The path of one turn").
 */
export class ActivityBackedModel implements ModelPort {
  /** Declarations of the tools that the model has called so far, by the name that it used. Unknown names are absent. */
  readonly declarations = new Map<string, ToolDeclaration>();
  readonly #run: TurnRun;
  readonly #sent = new SentStepMessages();
  readonly #choice: ModelChoice;

  constructor(run: TurnRun) {
    this.#run = run;
    this.#choice = new ModelChoice(run);
  }

  async callModel(messages: readonly ModelMessage[], options: StreamOptions): Promise<ModelAnswer> {
    const answer = adaptModelAnswer(await this.#answerEvenIfLost(messages, options), options);
    if (answer.error === undefined) this.#run.state.addUsage(answer.usage);
    return answer;
  }

  async #answerEvenIfLost(messages: readonly ModelMessage[], options: StreamOptions): Promise<ModelAnswer> {
    const { turnLog } = this.#run;
    const fresh = this.#sent.unsentOf(messages);
    if (jsonBytes(fresh) > MAX_MESSAGE_BYTES) {
      throw new ModelCallError(
        'model_context_length',
        'The tool results are more than a model call can take.',
      );
    }
    let result: CallModelResult;
    try {
      result = await this.#callWithFallbacks(fresh, options);
    } catch (error) {
      if (isTurnSuperseded(error)) throw error;
      this.#recordLoss(error);
      turnLog.endLostStep();
      return lostAnswer(shownText(turnLog.stepEvents()), this.#lossOf(error, options.deadline));
    }
    turnLog.apply(result.tail);
    // Read only now, because the tail may bring the last of the step's events.
    const text = shownText(turnLog.stepEvents());
    const { outcome } = result;
    if (outcome.kind === 'failed') {
      return lostAnswer(text, { error: new ModelCallError(outcome.code, outcome.message) });
    }
    for (const [name, declaration] of Object.entries(outcome.declarations)) {
      this.declarations.set(name, declaration);
    }
    const { leftOut } = outcome;
    return {
      ...modelAnswerOf(text, { ...outcome, end: this.#endOf(outcome.end) }),
      ...(leftOut && { leftOut: this.#sent.indexesOf(leftOut) }),
    };
  }

  /**
   * Returns the end of a call, which is `steered` if a message of the user has interrupted it. Temporal reports such a
   * call as cancelled, since it has only one kind of cancel.
   */
  #endOf(end: ModelStopReason): ModelStopReason {
    const { steering, cancellation } = this.#run;
    return end === 'cancelled' && steering.queue.hasInterrupt && !cancellation.isRequested ? 'steered' : end;
  }

  #lossOf(error: unknown, deadline: number): Loss {
    const { cancellation, steering } = this.#run;
    // A call may fail with an error of its own while its cancel is on the way. Only the turn then knows of the cancel.
    const wasCancelled = cancellation.isRequested || steering.queue.hasInterrupt;
    const loss = classifyLoss(error, wasCancelled, deadline);
    return loss.end === undefined ? loss : { ...loss, end: this.#endOf(loss.end) };
  }

  /**
   * Runs one step. It calls the turn's own model, or the model that took over in an earlier step. As long as the called
   * model is not available, it calls the next one that may take over.
   */
  async #callWithFallbacks(messages: ModelMessage[], options: StreamOptions): Promise<CallModelResult> {
    const { turnLog } = this.#run;
    const start = turnLog.beginStep();
    this.#sent.add(start.step, messages);
    let called = this.#choice.first();
    for (;;) {
      const result = await this.#runActivity({ ...start, ...called.call, messages, options });
      const next = this.#choice.next(called, result.outcome, options.deadline);
      if (next === undefined) return result;
      turnLog.apply(result.tail);
      called = next;
    }
  }

  async #runActivity(
    call: StepStart & CalledModel['call'] & Pick<CallModelInput, 'messages' | 'options'>,
  ): Promise<CallModelResult> {
    const { input, traces, steering } = this.#run;
    const activityInput = takeActivityInput(this.#run);
    const { sessionInactivityMs } = input;
    const { withdrawn } = this.#sent;
    const { messages, options, ...step } = call;
    const request: CallModelInput = {
      ...activityInput,
      ...step,
      mode: input.mode,
      messages,
      ...(withdrawn.length > 0 && { withdrawn: [...withdrawn] }),
      ...(input.isBudgeted && { isBudgeted: true }),
      ...(sessionInactivityMs !== undefined && { sessionInactivityMs }),
      options,
    };
    const summary = `${this.#run.state.phaseLabel} · ${call.model}`;
    const activityOptions = callModelOptions(
      summary,
      options.deadline - Date.now(),
      input.heartbeatTimeoutMs,
    );
    const scope = new CancellationScope();
    const interruptible = { step: call.step, interrupt: () => scope.cancel() };
    const result = await this.#run.openWaits.for(`the model: activity callModel "${summary}"`, () =>
      steering.during(interruptible, () =>
        scope.run(() => callModel.executeWithOptions(activityOptions, [request])),
      ),
    );
    traces.noteStored(activityInput.traces);
    this.#run.resolutions.noteStored(activityInput);
    return result;
  }

  /**
   * Records the lost call, since its activity may not even have begun. What the activity itself has recorded replaces
   * this.
   */
  #recordLoss(error: unknown): void {
    const { turnLog, traces } = this.#run;
    const reason = errorMessage(error);
    traces.recordLost(
      { key: llmCallKey(turnLog.step), type: 'llm_call', source: 'orion', summary: 'model call' },
      {
        key: llmResultKey(turnLog.step),
        type: 'llm_result',
        source: 'orion',
        summary: 'lost',
        error: reason,
      },
    );
  }
}

const shownText = (events: readonly TurnEvent[]): string =>
  events.map((event) => (event.type === 'chunk' && event.notice === undefined ? event.content : '')).join('');

type Loss = Partial<Pick<ModelAnswer, 'end' | 'error'>>;

/** Returns the answer of a call that was lost or has failed. It keeps the text so far. */
const lostAnswer = (text: string, loss: Loss): ModelAnswer => ({
  text,
  calls: [],
  hasTooManyCalls: false,
  end: undefined,
  usage: estimateUsage(text.length),
  ...loss,
});

/**
 * Returns why an activity has no result: the call was cancelled, the turn's time is over, or the activity has failed,
 * usually because its attempts are used up. An error that does not come from the activity is returned as it is.
 */
const classifyLoss = (error: unknown, wasCancelled: boolean, deadline: number): Loss => {
  if (wasCancelled || isCancellation(error)) return { end: 'cancelled' };
  if (Date.now() >= deadline) return { end: 'time' };
  if (!(error instanceof ActivityFailure)) {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }
  return {
    error: new ModelCallError('model_unavailable', 'The model call was lost and could not be repeated.'),
  };
};
