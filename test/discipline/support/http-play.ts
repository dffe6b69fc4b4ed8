import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { NOT_RUN_ONE_AT_A_TIME } from '../../../src/protocol/turn/tool-report.ts';
import type { ChatClient } from '../../support/chat-client.ts';
import type { ChatRequest } from '../../support/fake-model/rule-book.ts';
import type { Response } from '../../support/fake-model/script.ts';
import { recordedText, violations } from '../../support/recording-check.ts';
import type { Played } from './play-trace.ts';
import type { Fate } from './player.ts';
import { inChunks, MAX_CYCLES, type TraceAnswer, TraceModel } from './trace-model.ts';
import type { AgentTrace } from './trace.ts';
import { worldToolName } from './world-servers.ts';

/** Returns the mark in the user's message by which the provider knows to which trace a request belongs. */
const markOf = (number: number): string => `[trace ${number}]`;
const numberIn = (text: string): number => Number(/\[trace (\d+)\]/.exec(text)?.[1] ?? -1);

const responseOf = ({ text, calls }: TraceAnswer): Response => ({
  steps: [
    ...inChunks(text).map((piece) => ({ text: piece })),
    ...calls.map((call, index) => ({ calls: [{ index, ...call }] })),
    { finish: calls.length > 0 ? 'tool_calls' : 'stop' },
    { done: true },
  ],
});

const payloadSchema = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), result: z.string() }),
  z.object({ ok: z.literal(false), error: z.string() }),
]);

/** Reads the fate of a call from the text for the model: a line of JSON, and below it a result of several lines. */
const fateIn = (content: unknown): Fate => {
  const [line = '', ...text] = String(content).split('\n\nresult:\n');
  const below = text.length === 0 ? {} : { result: text.join('\n\nresult:\n') };
  const payload = payloadSchema.parse({ ...(JSON.parse(line) as object), ...below });
  return { kind: 'ran', ok: payload.ok, content: payload.ok ? payload.result : payload.error };
};

/** The model of one trace as a provider; it learns from each request what became of its last call. */
class TraceProvider {
  readonly model: TraceModel;
  #results = 0;

  constructor(trace: AgentTrace, number: number) {
    this.model = new TraceModel(trace, (name) => worldToolName(trace, number, name));
  }

  beginTurn(): void {
    this.#results = 0;
  }

  respond({ messages = [], tools = [] }: ChatRequest): Response {
    const turn = messages.slice(messages.findLastIndex(({ role }) => role === 'user'));
    // At most one of several calls in one answer runs; the others are refused, and are not the last call of the script.
    const results = turn.filter(({ role, content }) => role === 'tool' && content !== NOT_RUN_ONE_AT_A_TIME);
    const fate: Fate = results.length > this.#results ? fateIn(results.at(-1)?.content) : { kind: 'refused' };
    this.#results = results.length;
    return responseOf(this.model.answer(tools.length > 0, fate));
  }
}

/** Plays the traces as a user and a provider at the two ends of Orion: turns over HTTP, model calls by `respond`. */
export class HttpPlay {
  readonly #providers: readonly TraceProvider[];

  constructor(traces: readonly AgentTrace[]) {
    this.#providers = traces.map((trace, number) => new TraceProvider(trace, number));
  }

  /** Returns the provider's response to a request of any of the turns; undefined for a request that belongs to none. */
  readonly respond = (request: ChatRequest): Response | undefined => {
    const user = request.messages?.findLast(({ role }) => role === 'user');
    return this.#providers[numberIn(JSON.stringify(user?.content ?? ''))]?.respond(request);
  };

  /** Plays the turns of one trace in a conversation of its own. */
  async play(chat: ChatClient, { mode = 'act', id }: AgentTrace, number: number): Promise<Played> {
    const provider = this.#providers[number];
    if (!provider) throw new Error(`expected the number of a trace, received ${number}`);
    const { model } = provider;
    const conversationId = randomUUID();
    let [characters, isForced] = [0, false];
    for (let said = model.question(); said !== undefined; said = model.question()) {
      provider.beginTurn();
      const content = `${markOf(number)} ${said}`;
      const metadata = { maxPhaseCycles: MAX_CYCLES };
      const { frames, ended } = await chat.chat({ content, conversationId, mode, metadata });
      await ended;
      const end = frames.at(-1)?.data;
      const found = violations(frames);
      if (end?.['type'] !== 'done' || found.length > 0) {
        throw new Error(`${id}: ${JSON.stringify(end)} ${found.join(', ')}`);
      }
      characters += recordedText(frames).length;
      isForced ||= end['reason'] !== 'answered';
      model.endTurn();
    }
    return { ranByKey: model.ranByKey, modelCalls: model.modelCalls, characters, isForced };
  }
}
