import type { ModelMessage } from '../../../src/contracts/model/model-message.ts';
import type { StreamOptions } from '../../../src/contracts/model/stream-options.ts';
import { MAX_CALLS_PER_ANSWER } from '../../../src/contracts/tools/tool-call.ts';
import type { ModelAnswer, ModelPort } from '../../../src/protocol/ports/model-port.ts';

/** The parts of an answer that a test chooses. `hasTooManyCalls` follows from the calls. */
export type AnswerParts = Partial<Omit<ModelAnswer, 'hasTooManyCalls'>>;

/** An answer, or the function that makes it of the messages of its call and of those of the call before. */
export type ScriptedAnswerParts =
  AnswerParts | ((messages: readonly ModelMessage[], before: readonly ModelMessage[]) => AnswerParts);

/** Returns an answer with these parts. A failed call has no calls, and otherwise the calls decide how it ended. */
export const modelAnswer = ({ calls = [], ...parts }: AnswerParts): ModelAnswer => ({
  text: '',
  calls: parts.error ? [] : calls,
  hasTooManyCalls: calls.length > MAX_CALLS_PER_ANSWER,
  end: parts.error ? undefined : calls.length > 0 ? 'tool_calls' : 'stop',
  usage: { promptTokens: 1, completionTokens: 2 },
  ...parts,
});

/**
 * A model behind the port of workflows that gives these answers in turn and remembers what it was asked.
 * `describeModelPort` checks it together with the port of the workflow.
 */
export class ScriptedAnswers implements ModelPort {
  readonly asked: { readonly messages: readonly ModelMessage[]; readonly options: StreamOptions }[] = [];
  readonly #answers: readonly ScriptedAnswerParts[];

  constructor(...answers: readonly ScriptedAnswerParts[]) {
    this.#answers = answers;
  }

  callModel(messages: readonly ModelMessage[], options: StreamOptions): Promise<ModelAnswer> {
    const before = this.asked.at(-1)?.messages ?? [];
    const answer = this.#answers[this.asked.length] ?? { text: 'Nothing scripted.' };
    this.asked.push({ messages, options });
    return Promise.resolve(modelAnswer(typeof answer === 'function' ? answer(messages, before) : answer));
  }
}
