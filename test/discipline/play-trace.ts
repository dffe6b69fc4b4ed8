import type { ModelMessage } from '../../src/contracts/model-message.ts';
import type { AdapterEvent, ToolExecutor } from '../../src/protocol/ports.ts';
import { TwoStageProtocol } from '../../src/protocol/two-stage-protocol.ts';
import {
  asks,
  collect,
  ends,
  RecordedTrace,
  says,
  ScriptedModel,
  ScriptedTools,
  terminalOf,
  textOf,
  toolCall,
} from '../support/fake-ports.ts';
import { type AskedDeed, type Deed, type Fate, Player } from './player.ts';
import { declarationOf, type Trace } from './trace.ts';
import { World } from './world.ts';

/** What a trace came to when it was played against the core. */
export interface Played {
  /** Each asking of a key, in order: whether it ran. */
  readonly askings: ReadonlyMap<string, readonly boolean[]>;
  readonly modelCalls: number;
  readonly characters: number;
  readonly forced: boolean;
}

/** Where the tools of a trace run. */
export interface TraceTools {
  /** Under what name the model knows a tool of the trace. */
  nameOf(name: string): string;
  /** The executor of one turn, which tells what became of each execution. */
  executor(told: (fate: Fate) => void): ToolExecutor;
}

/** The trace's own world, without anything in between. */
const worldTools = (trace: Trace): TraceTools => {
  const world = new World(trace);
  return {
    nameOf: (name) => name,
    executor: (told) =>
      new ScriptedTools(({ function: { name, arguments: raw } }) => {
        const args = raw.trim() === '' ? {} : (JSON.parse(raw) as Record<string, never>);
        const { ok, retryable, content } = world.execute(name, args);
        told({ kind: 'ran', ok, content });
        return ok ? { success: true, result: content } : { success: false, error: content, retryable };
      }, trace.tools.map(declarationOf)),
  };
};

/** The budget under which the traces were labelled. */
const MAX_CYCLES = 25;
/** No loop of the data set may be played longer, whatever the core does. */
const GIVE_UP_AFTER = 200;
const CHUNK = 40;

function* inChunks(text: string): Generator<AdapterEvent> {
  for (let i = 0; i < text.length; i += CHUNK) yield says(text.slice(i, i + CHUNK));
}

class TraceRun {
  readonly #trace: Trace;
  readonly #deeds: Generator<Deed, void, Fate>;
  readonly #tools: TraceTools;
  readonly #askings = new Map<string, boolean[]>();
  #deed: Deed | undefined;
  #asked: AskedDeed | undefined;
  #fate: Fate = { kind: 'refused' };
  #modelCalls = 0;
  #characters = 0;
  #forced = false;

  constructor(trace: Trace, tools: TraceTools) {
    this.#trace = trace;
    this.#tools = tools;
    this.#deeds = new Player(trace).play();
    this.#deed = this.#deeds.next().value ?? undefined;
  }

  async play(): Promise<Played> {
    while (this.#deed) {
      const content = this.#deed.type === 'user' ? this.#deed.text : 'Begin.';
      if (this.#deed.type === 'user') this.#advance();
      await this.#turn([{ role: 'user', content }]);
    }
    return {
      askings: this.#askings,
      modelCalls: this.#modelCalls,
      characters: this.#characters,
      forced: this.#forced,
    };
  }

  async #turn(messages: ModelMessage[]): Promise<void> {
    const adapter = new ScriptedModel((_call, _messages, { tools }) => this.#answer(tools));
    const tools = this.#tools.executor((fate) => (this.#fate = fate));
    const ports = { adapter, tools, traceService: new RecordedTrace() };
    const { mode = 'act', id } = this.#trace;
    const config = { maxPhaseCycles: MAX_CYCLES };
    const context = { ...ports, messages, mode, projectId: 'traces', requestId: id, config };
    const events = await collect(new TwoStageProtocol(ports).executeStreaming(context));
    const end = terminalOf(events);
    if (end.type === 'error') throw new Error(`${id}: ${end.message}`);
    this.#characters += textOf(events).length;
    this.#forced ||= end.reason !== 'answered';
    // A chant is cut before the stream of its deed has ended.
    if (this.#deed?.type === 'text') this.#advance();
  }

  /** One model call: the next deed of the script, or, without tools, the end of the turn. */
  *#answer(tools: boolean): Generator<AdapterEvent> {
    this.#modelCalls += 1;
    if (this.#modelCalls > GIVE_UP_AFTER) throw new Error('the loop was not ended');
    this.#settle(tools);
    const deed = tools ? this.#deed : undefined;
    if (deed?.type === 'calls') yield* this.#ask(deed.calls, deed.say);
    else yield* inChunks(deed?.text ?? 'This is my answer.');
    yield ends();
  }

  /** Tells the player what became of the calls of the answer before. */
  #settle(tools: boolean): void {
    if (!this.#asked) return;
    const askings = this.#askings.get(this.#asked.key) ?? [];
    this.#askings.set(this.#asked.key, [...askings, this.#fate.kind === 'ran']);
    if (!tools) this.#fate = { kind: 'over' };
    this.#advance();
  }

  *#ask(calls: readonly AskedDeed[], say: string): Generator<AdapterEvent> {
    [this.#asked] = calls;
    yield* inChunks(say);
    yield asks(
      ...calls.map(({ name, raw, id }, i) =>
        toolCall(this.#tools.nameOf(name), raw, id ?? `call_${this.#modelCalls}_${i}`),
      ),
    );
  }

  #advance(): void {
    this.#deed = this.#deeds.next(this.#fate).value ?? undefined;
    this.#asked = undefined;
    this.#fate = { kind: 'refused' };
  }
}

export const playTrace = (trace: Trace, tools = worldTools(trace)): Promise<Played> =>
  new TraceRun(trace, tools).play();
