import type { Args, CallMove, Json, LoopMove, Move, AgentTrace } from './trace.ts';

/** What the model does next. */
export type ModelAction =
  | { readonly type: 'user'; readonly text: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'calls'; readonly calls: readonly AskedAction[]; readonly say: string };

export interface AskedAction {
  readonly key: string;
  readonly name: string;
  readonly raw: string;
  readonly id?: string;
}

/** What became of the call: it ran, it was refused, or the turn allowed no more tools. */
export type Fate =
  | { readonly kind: 'ran'; readonly ok: boolean; readonly content: string }
  | { readonly kind: 'refused' }
  | { readonly kind: 'over' };

/** Plays a trace's script: yields one action of the model at a time and is told what became of it. */
export class Player {
  #isOver = false;
  #last = '';
  readonly #trace: AgentTrace;

  constructor(trace: AgentTrace) {
    this.#trace = trace;
  }

  play(): Generator<ModelAction, void, Fate> {
    return this.#walk(this.#trace.script, 0);
  }

  *#walk(moves: readonly Move[], round: number): Generator<ModelAction, void, Fate> {
    for (const move of moves) {
      if ('user' in move) {
        this.#isOver = false;
        yield { type: 'user', text: move.user };
      } else if (this.#isOver) {
        continue;
      } else if ('loop' in move) {
        yield* this.#repeat(move);
      } else {
        yield* this.#act(move, round);
      }
    }
  }

  *#repeat({ loop, times, until }: LoopMove): Generator<ModelAction, void, Fate> {
    const rounds = times === 'forever' ? Number.POSITIVE_INFINITY : times;
    for (let round = 0; round < rounds && !this.#isOver; round += 1) {
      yield* this.#walk(loop, round);
      if (until !== undefined && this.#last.includes(until)) return;
    }
  }

  *#act(move: Exclude<Move, LoopMove | { user: string }>, round: number): Generator<ModelAction, void, Fate> {
    const action = actionOf(move, round);
    const fate = yield action;
    if (action.type === 'text' || fate.kind === 'over') {
      this.#isOver = true;
      return;
    }
    if (fate.kind === 'ran') this.#last = fate.content;
    const reaction = 'call' in move ? reactionOf(move, fate) : undefined;
    if (reaction === 'answer') yield* this.#walk([{ text: 'I answer with what I have.' }], round);
    else if (reaction) yield* this.#walk(reaction, round);
  }
}

const reactionOf = (move: CallMove, fate: Fate): 'answer' | readonly Move[] | undefined => {
  if (fate.kind === 'refused') return move.onRefused;
  return fate.kind === 'ran' && !fate.ok ? move.onError : undefined;
};

const actionOf = (move: Exclude<Move, LoopMove | { user: string }>, round: number): ModelAction => {
  if ('text' in move) return { type: 'text', text: fillText(move.text, round) };
  if ('chant' in move) return { type: 'text', text: move.chant.unit.repeat(move.chant.times) };
  if ('calls' in move) {
    return { type: 'calls', calls: move.calls.map((one) => askedAction(one, round)), say: '' };
  }
  if ('call' in move) {
    return { type: 'calls', calls: [askedAction(move, round)], say: fillText(move.say ?? '', round) };
  }
  const bad = { key: move.key, name: move.bad.name, raw: fillText(move.bad.raw, round) };
  return { type: 'calls', calls: [bad], say: move.say ?? '' };
};

const askedAction = (move: CallMove, round: number): AskedAction => ({
  key: move.key,
  name: fillText(move.call, round),
  raw: move.raw === undefined ? JSON.stringify(fill(move.args ?? {}, round)) : fillText(move.raw, round),
  ...(move.id !== undefined && { id: fillText(move.id, round) }),
});

const fillText = (text: string, round: number): string => text.replaceAll('{{i}}', String(round));

const pair = (value: Json | undefined): readonly [number, number] => {
  const [first, second] = value as readonly number[];
  return [first ?? Number.NaN, second ?? Number.NaN];
};

/**
 * Fills in `{$add: [start, step]}`, `{$mul: [start, factor]}` and `{$pick: […]}`, which depend on the round of the
 * loop.
 */
const fill = (value: Json, round: number): Json => {
  if (typeof value === 'string') return fillText(value, round);
  if (Array.isArray(value)) return value.map((item: Json) => fill(item, round));
  if (typeof value !== 'object' || value === null) return value;
  const fields = value as Args;
  if ('$add' in fields) return pair(fields['$add'])[0] + round * pair(fields['$add'])[1];
  if ('$mul' in fields) return Math.round(pair(fields['$mul'])[0] * pair(fields['$mul'])[1] ** round);
  if ('$pick' in fields) {
    const choices = fields['$pick'] as readonly Json[];
    return fill(choices[round % choices.length] ?? null, round);
  }
  return Object.fromEntries(Object.entries(fields).map(([key, item]) => [key, fill(item, round)]));
};
