import { attemptEpoch } from '../../../src/contracts/wire/event-id.ts';
import type {
  CallModelInput,
  CallModelResult,
} from '../../../src/contracts/payload/turn-activity-payloads.ts';
import type { TurnErrorCode } from '../../../src/contracts/wire/turn-event.ts';
import { answeredCall, ScriptedActivities, scriptedCall } from './scripted-activities.ts';

interface FailingModels {
  readonly failing: readonly string[];
  /** The number of steps that call a tool before the last one answers (default: 0). */
  readonly toolSteps?: number;
  /** The first step in which a model fails, by the model's name. A model without an entry fails in every step. */
  readonly failsFrom?: Readonly<Record<string, number>>;
  /** The tokens of the prompt as a failed call reports them; undefined when it reports none. */
  readonly promptTokens: number | undefined;
  readonly code?: TurnErrorCode;
}

/**
 * Returns activities of a turn in which some models are down: each of them says "half" before it fails, and the first
 * model that is up answers, under the next epoch of the step and behind a reset and a notice.
 */
export const withFallbacks = ({
  failing,
  promptTokens,
  code = 'model_unavailable',
  toolSteps = 0,
  failsFrom = {},
}: FailingModels) => {
  const scripted = new ScriptedActivities([]);
  const attempts = new Map<number, number>();
  const batchOf = (
    { step, fromSeq, after, insteadOf, model }: CallModelInput,
    ...said: CallModelResult['tail'][number]['events']
  ): CallModelResult['tail'] => {
    const attempt = (attempts.get(step) ?? 0) + 1;
    attempts.set(step, attempt);
    const epoch = attemptEpoch(step, attempt);
    if (insteadOf === undefined) return [{ epoch, seq: fromSeq, after, events: said }];
    const notice = { type: 'chunk', content: `${model} for ${insteadOf}`, notice: 'model_fallback' } as const;
    return [{ epoch, seq: fromSeq - 1, after, events: [{ type: 'reset', fromSeq }, notice, ...said] }];
  };
  return Object.assign(scripted, {
    callModel: (input: CallModelInput): Promise<CallModelResult> => {
      scripted.modelCalls.push(input);
      const calls =
        input.step > toolSteps
          ? []
          : [scriptedCall('read_file', { path: `${input.step}.md` }, `c${input.step}`)];
      const { outcome } = answeredCall(input, { calls });
      const isDown = failing.includes(input.model) && input.step >= (failsFrom[input.model] ?? 1);
      if (!isDown) {
        const asked = calls.length === 0 ? [] : [{ type: 'tool_calls' as const, calls }];
        return Promise.resolve({ outcome, tail: batchOf(input, 'whole', ...asked) });
      }
      const told = promptTokens === undefined ? {} : { promptTokens };
      const failed = { kind: 'failed', code, message: `${input.model} is down`, ...told } as const;
      return Promise.resolve({ outcome: failed, tail: batchOf(input, 'half') });
    },
  });
};
