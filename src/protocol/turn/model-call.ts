import { MAX_ANSWER_TOKENS } from '../../contracts/model/model-message.ts';
import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import type { ModelAnswer } from '../ports/model-port.ts';
import type { Turn } from './turn.ts';
import type { StreamOptions } from '../../contracts/model/stream-options.ts';

/** Temperature by mode, for runs whose settings have none. */
const TEMPERATURE = { plan: 0.7, act: 0.3 } as const;

type CallOptions = Pick<StreamOptions, 'stopAt' | 'tools' | 'writeSession'>;

/**
 * Runs one action phase, which is one model call. Text and calls of a `StreamedModel` are yielded as they come. Those
 * of a `ModelPort` were shown where its stream was read. If the call failed, throws the error of the call, after its
 * text was added to the turn.
 */
export const runActionPhase = async function* (
  turn: Turn,
  callOptions: CallOptions,
): AsyncGenerator<TurnEvent, ModelAnswer, undefined> {
  yield turn.phases.open('action');
  turn.trace({ type: 'llm_call', source: 'orion', summary: `${turn.messages.length} messages` });
  const options = streamOptionsFor(turn, callOptions);
  turn.meter.count('modelCalls');
  const { adapter } = turn.context;
  const messages = [...turn.messages];
  // A `StreamedModel` may have a method `callModel`, too, so only `streamModel` tells the two apart.
  const answer =
    'streamModel' in adapter
      ? yield* adapter.streamModel(turn, messages, options)
      : await adapter.callModel(messages, options);
  turn.addContent(answer.text);
  if (answer.error !== undefined) throw answer.error;
  turn.addUsage(answer.usage);
  turn.results.noteLeftOut(messages.filter((_message, index) => answer.leftOut?.includes(index)));
  turn.trace({ type: 'llm_result', source: 'orion', summary: answer.end ?? 'stop', details: answer });
  return answer;
};

const streamOptionsFor = (turn: Turn, callOptions: CallOptions): StreamOptions => {
  const { mode, config } = turn.context;
  const isForcedAnswer = !callOptions.tools && callOptions.writeSession === undefined;
  return {
    ...callOptions,
    lead: turn.separator,
    deadline: turn.meter.deadline({ isForcedAnswer }),
    tokenBudget: turn.meter.tokensLeft,
    temperature: config.temperature ?? TEMPERATURE[mode],
    maxTokens: MAX_ANSWER_TOKENS,
  };
};
