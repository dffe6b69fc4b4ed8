import type { ToolCall } from '../../../src/contracts/tools/tool-call.ts';
import { toolCall } from '../../support/fake-ports.ts';
import { type AskedAction, type ModelAction, type Fate, Player } from './player.ts';
import type { AgentTrace } from './trace.ts';

/** What the model of a trace says in one call. */
export interface TraceAnswer {
  readonly text: string;
  readonly calls: readonly ToolCall[];
}

/** The number of cycles for which the traces were labelled. */
export const MAX_CYCLES = 25;
/** The number of model calls after which a trace is given up, because Orion does not end its loop. */
const GIVE_UP_AFTER = 200;

/** The user and the model of a trace. They say what its script says; which of its calls ran is recorded. */
export class TraceModel {
  readonly #actions: Generator<ModelAction, void, Fate>;
  readonly #nameOf: (name: string) => string;
  readonly #ranByKey = new Map<string, boolean[]>();
  #action: ModelAction | undefined;
  #asked: AskedAction | undefined;
  #modelCalls = 0;

  /** Creates the model of a trace; `nameOf` returns the name under which the model knows a tool of the trace. */
  constructor(trace: AgentTrace, nameOf: (name: string) => string) {
    this.#nameOf = nameOf;
    this.#actions = new Player(trace).play();
    this.#action = this.#actions.next().value ?? undefined;
  }

  /** For each key, whether each of its calls ran, in the order in which they were made. */
  get ranByKey(): ReadonlyMap<string, readonly boolean[]> {
    return this.#ranByKey;
  }

  get modelCalls(): number {
    return this.#modelCalls;
  }

  /** Returns the user's words that begin the next turn; undefined when the script is over. */
  question(): string | undefined {
    const action = this.#action;
    if (action?.type !== 'user') return action && 'Begin.';
    this.#advance({ kind: 'refused' });
    return action.text;
  }

  /**
   * Answers one model call with the next action of the script or, without tools, with the end of the turn. `fate` says
   * whether the first call of the previous answer ran.
   */
  answer(hasTools: boolean, fate: Fate): TraceAnswer {
    this.#modelCalls += 1;
    if (this.#modelCalls > GIVE_UP_AFTER) throw new Error('the loop was not ended');
    this.#settle(hasTools, fate);
    const action = hasTools ? this.#action : undefined;
    if (action?.type === 'calls') return this.#ask(action.calls, action.say);
    return { text: action?.text ?? 'This is my answer.', calls: [] };
  }

  /**
   * Moves on from the text that ended the turn. The stream of that text may not have ended, because Orion stops a
   * repetition early.
   */
  endTurn(): void {
    if (this.#action?.type === 'text') this.#advance({ kind: 'refused' });
  }

  /** Tells the player whether the first call of the previous answer ran, if there was one. */
  #settle(hasTools: boolean, fate: Fate): void {
    if (!this.#asked) return;
    const earlier = this.#ranByKey.get(this.#asked.key) ?? [];
    this.#ranByKey.set(this.#asked.key, [...earlier, fate.kind === 'ran']);
    this.#advance(hasTools ? fate : { kind: 'over' });
  }

  #ask(calls: readonly AskedAction[], text: string): TraceAnswer {
    [this.#asked] = calls;
    const asked = calls.map(({ name, raw, id }, i) =>
      toolCall(this.#nameOf(name), raw, id ?? `call_${this.#modelCalls}_${i}`),
    );
    return { text, calls: asked };
  }

  #advance(fate: Fate): void {
    this.#action = this.#actions.next(fate).value ?? undefined;
    this.#asked = undefined;
  }
}

/** Splits a text as a provider streams it. */
export const inChunks = (text: string): string[] => text.match(/.{1,40}/gsu) ?? [];
