import { createHash } from 'node:crypto';
import { jsonTextBytes } from '../../src/base/json/json-text.ts';
import type { CallModelInput, CallModelOutcome } from '../../src/contracts/payload/turn-activity-payloads.ts';
import type { ToolCall, ToolDeclaration } from '../../src/contracts/tools/tool-call.ts';
import type { ModelClient, ModelRequest } from '../../src/llm/model-client.ts';
import { ProviderError } from '../../src/llm/provider-error.ts';
import { ModelStreamReader } from '../../src/protocol/stream/model-stream.ts';
import type { RawDelta } from '../../src/protocol/stream/raw-delta.ts';
import type { ToolRegistry } from '../../src/tools/registry.ts';
import { AnswerDisplay, type AttemptOutput } from './attempt-output.ts';
import type { AttemptPrompt } from './attempt-prompt.ts';
import type { AttemptStop } from './attempt-stop.ts';
import {
  attemptInterruptedFailure,
  attemptSupersededFailure,
  providerFailure,
  turnSupersededFailure,
} from '../attempt/activity-failures.ts';
import type { ModelTracer } from './model-tracer.ts';
import type { CallSpend } from './call-spend.ts';
import type { ProviderErrorCount } from '../attempt/provider-error-count.ts';
import type { SessionKeepAlive } from '../write-session/session-keep-alive.ts';

export interface ReadAnswerDeps {
  readonly model: ModelClient;
  readonly registry: ToolRegistry;
}

interface ModelAttempt {
  readonly input: CallModelInput;
  readonly prompt: Pick<AttemptPrompt, 'messages' | 'halve'>;
  readonly output: AttemptOutput;
  readonly stop: AttemptStop;
  readonly errors: ProviderErrorCount;
  readonly tracer: ModelTracer;
  readonly keepAlive: SessionKeepAlive;
  readonly spend: CallSpend;
}

/**
 * Largest size of an answer's text and arguments, in bytes of JSON. The token budget counts characters, which take up
 * to six bytes each. The answer becomes a payload of Temporal (signal, result, next prompt, tool call), and a payload
 * above 2 MiB is always refused.
 */
const MAX_ANSWER_BYTES = 1_000_000;
/** Length of a cache key in characters. OpenAI takes at most 64. */
const CACHE_KEY_CHARACTERS = 32;

/**
 * Streams the model's answer into the attempt's output, until it ends or is stopped. If the provider finds the prompt
 * too long, it is asked once more with half of it. A failure that Temporal should not retry is an outcome, so that the
 * text before it stays. Throws after other failures, and after stops that make the answer useless.
 */
export const readAnswer = async (deps: ReadAnswerDeps, attempt: ModelAttempt): Promise<CallModelOutcome> => {
  const first = await requestAnswer(deps, attempt);
  const isHalved = first.kind === 'error' && first.isUnread && (await halvePrompt(first.error, attempt));
  const answer = isHalved ? await requestAnswer(deps, attempt) : first;
  return answer.kind === 'error' ? giveUp(answer.error, attempt) : answer;
};

/** An answer that has ended, or the error of its request. `isUnread` is true if no output came before the error. */
type RequestedAnswer =
  | Extract<CallModelOutcome, { kind: 'ended' }>
  | { readonly kind: 'error'; readonly error: unknown; readonly isUnread: boolean };

/** Makes one request to the provider and shows its answer. Throws after stops that make the answer useless. */
const requestAnswer = async (deps: ReadAnswerDeps, attempt: ModelAttempt): Promise<RequestedAnswer> => {
  const { input, stop } = attempt;
  const reader = new ModelStreamReader(input.options);
  const display = new AnswerDisplay(reader, attempt);
  const streamed = await streamToEnd(deps, attempt, reader, display);
  // After a stop, the error only says that the stream was aborted. The cause of the stop says how the answer ends.
  if (streamed.kind === 'error' && stop.cause === undefined) {
    return { ...streamed, isUnread: reader.characters === 0 };
  }
  const ending = reader.end(answerEndOf(stop));
  display.end();
  const calls = reader.calls();
  return {
    kind: 'ended',
    end: streamed.kind === 'too_large' ? 'tokens' : (ending.finishReason ?? 'stop'),
    calls: [...calls],
    declarations: declarationsOf(deps.registry, calls),
    usage: ending.usage,
  };
};

/** How the reading of a stream ended. `too_large` means that the answer was cut off at `MAX_ANSWER_BYTES`. */
type StreamEnd =
  | { readonly kind: 'read' }
  | { readonly kind: 'too_large' }
  | { readonly kind: 'error'; readonly error: unknown };

/** Reads and shows an answer until it ends, is stopped or becomes too large. Never throws. */
const streamToEnd = async (
  deps: ReadAnswerDeps,
  attempt: ModelAttempt,
  reader: ModelStreamReader,
  display: AnswerDisplay,
): Promise<StreamEnd> => {
  const { stop, tracer, spend } = attempt;
  let bytes = 0;
  try {
    await deps.model.stream(requestOf(deps, attempt), stop.signal, (delta) => {
      bytes += bytesOf(delta);
      if (bytes > MAX_ANSWER_BYTES) return 'enough';
      if (delta.type === 'reasoning') tracer.noteReasoning(delta.text);
      const fed = reader.feed(delta);
      spend.noteDelta(delta, reader.characters);
      display.show(fed);
      return fed.shouldStop || stop.cause !== undefined ? 'enough' : 'more';
    });
  } catch (error) {
    return { kind: 'error', error };
  }
  return { kind: bytes > MAX_ANSWER_BYTES ? 'too_large' : 'read' };
};

const requestOf = ({ registry }: ReadAnswerDeps, { input, prompt }: ModelAttempt): ModelRequest => {
  const { tools, temperature, maxTokens } = input.options;
  return {
    model: input.model,
    messages: prompt.messages,
    tools: tools ? registry.definitions(input.mode) : [],
    temperature,
    maxTokens,
    cacheKey: cacheKeyOf(input),
  };
};

/** Returns a key that tells conversations apart without revealing their ids. */
const cacheKeyOf = ({ projectId, conversationId }: CallModelInput): string =>
  createHash('sha256')
    .update(JSON.stringify([projectId, conversationId]))
    .digest('hex')
    .slice(0, CACHE_KEY_CHARACTERS);

const bytesOf = (delta: RawDelta): number => {
  if (delta.type === 'text') return jsonTextBytes(delta.text);
  return delta.type === 'call' ? jsonTextBytes(delta.arguments ?? '') : 0;
};

/**
 * Returns why an answer was stopped, or undefined if it was not. The text before a cancel, a message of the user or the
 * deadline is kept. After any other stop, throws the failure of the attempt.
 */
const answerEndOf = ({ cause }: AttemptStop): 'time' | 'cancelled' | 'steered' | undefined => {
  switch (cause) {
    case undefined:
    case 'time':
    case 'cancelled':
    case 'steered':
      return cause;
    case 'superseded':
      throw attemptSupersededFailure();
    case 'gone':
      throw turnSupersededFailure('the workflow is closed');
    case 'worker_stopping':
      throw attemptInterruptedFailure();
    default:
      return cause satisfies never;
  }
};

/**
 * Halves a prompt that the provider finds too long. Returns true if the provider may be asked once more. Returns false
 * for any other error, and if nothing more can be left out.
 */
const halvePrompt = async (error: unknown, { prompt, tracer }: ModelAttempt): Promise<boolean> => {
  if (!(error instanceof ProviderError) || error.code !== 'model_context_length') return false;
  if (!(await prompt.halve())) return false;
  tracer.recordFailure(error, { isFinal: false });
  return true;
};

/**
 * Throws an error that Temporal should retry, or that is not the provider's. Returns a failure as an outcome if it is
 * final, came too often, or could be retried only after the deadline.
 */
const giveUp = (error: unknown, { input, errors, tracer }: ModelAttempt): CallModelOutcome => {
  if (!(error instanceof ProviderError)) throw error;
  const isLast = !error.isRetryable || errors.addAndCheckLimit();
  const isTooLate = Date.now() + (error.retryAfterMs ?? 0) >= input.options.deadline;
  tracer.recordFailure(error, { isFinal: isLast || isTooLate });
  if (!isLast && !isTooLate) throw providerFailure(error);
  return { kind: 'failed', code: error.code, message: error.message };
};

const declarationsOf = (
  registry: ToolRegistry,
  calls: readonly ToolCall[],
): Record<string, ToolDeclaration> =>
  Object.fromEntries(
    calls.flatMap(({ function: { name } }) => {
      const declaration = registry.describe(name);
      return declaration ? [[name, declaration]] : [];
    }),
  );
