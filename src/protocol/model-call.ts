import type { StreamOptions } from '../contracts/model-call.ts';
import type { TurnEvent } from '../contracts/turn-event.ts';
import { AnswerReader, type ModelAnswer } from './model-answer.ts';
import type { AdapterOptions } from './ports.ts';
import type { Turn } from './turn.ts';

/** protocol.md "Model call options". */
const TEMPERATURE = { plan: 0.7, act: 0.3 } as const;
const MAX_TOKENS = 8_192;

const optionsFor = (turn: Turn, wanted: Pick<StreamOptions, 'stopAt' | 'tools'>): AdapterOptions => {
  const { projectId, requestId, mode } = turn.context;
  return {
    ...wanted,
    lead: turn.lead,
    deadline: turn.deadline(!wanted.tools),
    tokenBudget: turn.tokensLeft,
    temperature: TEMPERATURE[mode],
    maxTokens: MAX_TOKENS,
    context: { projectId, requestId, mode },
  };
};

/** One action phase: one model call, whose text and calls stream through. */
export async function* callModel(
  turn: Turn,
  wanted: Pick<StreamOptions, 'stopAt' | 'tools'>,
): AsyncGenerator<TurnEvent, ModelAnswer, undefined> {
  yield turn.phase('action');
  turn.trace({ type: 'llm_call', source: 'orion', summary: `${turn.messages.length} messages` });
  const options = optionsFor(turn, wanted);
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
