import type { StreamOptions } from '../../contracts/payload/turn-activities.ts';
import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import { AnswerReader, type ModelAnswer } from '../stream/model-answer.ts';
import type { AdapterOptions } from './ports.ts';
import type { Turn } from './turn.ts';

/** Of runs whose project names none. */
const TEMPERATURE = { plan: 0.7, act: 0.3 } as const;
const MAX_TOKENS = 8_192;

type Wanted = Pick<StreamOptions, 'stopAt' | 'tools' | 'writeSession'>;

const optionsFor = (turn: Turn, wanted: Wanted): AdapterOptions => {
  const { projectId, requestId, mode } = turn.context;
  const isForcedAnswer = !wanted.tools && wanted.writeSession === undefined;
  return {
    ...wanted,
    lead: turn.lead,
    deadline: turn.deadline(isForcedAnswer),
    tokenBudget: turn.tokensLeft,
    temperature: turn.context.config.temperature ?? TEMPERATURE[mode],
    maxTokens: MAX_TOKENS,
    context: { projectId, requestId, mode },
  };
};

/** One action phase: one model call, whose text and calls stream through. */
export async function* callModel(
  turn: Turn,
  wanted: Wanted,
): AsyncGenerator<TurnEvent, ModelAnswer, undefined> {
  yield turn.phase('action');
  turn.trace({ type: 'llm_call', source: 'orion', summary: `${turn.messages.length} messages` });
  const options = optionsFor(turn, wanted);
  turn.modelCalls += 1;
  const reader = new AnswerReader(turn, options);
  for await (const event of turn.context.adapter.sendMessagesStreaming([...turn.messages], options)) {
    yield* reader.take(event);
    if (turn.cancelled) reader.stop('cancelled');
    if (reader.over) break;
  }
  yield* reader.rest();
  const answer = reader.answer();
  turn.trace({ type: 'llm_result', source: 'orion', summary: answer.end ?? 'stop', details: answer });
  return answer;
}
