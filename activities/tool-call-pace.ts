import type { ToolCall } from '../src/contracts/tool-call.ts';

const SHORTEST_GAP_MS = 100;
/** Each event repeats the whole text so far: growing by a quarter at least keeps the sum under five times it. */
const LEAST_GROWTH = 1.25;

/**
 * Thins out the cumulative `tool_calls` events of a stream (protocol.md "Events a client may see"): the first as
 * soon as a name is known, then at most ten a second, and the last one always, when `rest` is taken.
 */
export class ToolCallPace {
  #shownAt = Number.NEGATIVE_INFINITY;
  #shownSize = 0;
  #shown = '';
  #held: readonly ToolCall[] | undefined;

  /** The calls to show now, or undefined while it is too early. `now` in milliseconds. */
  offer(calls: readonly ToolCall[], now: number): readonly ToolCall[] | undefined {
    if (!calls.some((call) => call.function.name !== '')) return undefined;
    this.#held = calls;
    const size = calls.reduce(
      (sum, call) => sum + call.function.name.length + call.function.arguments.length,
      0,
    );
    if (now - this.#shownAt < SHORTEST_GAP_MS || size < this.#shownSize * LEAST_GROWTH) return undefined;
    this.#shownAt = now;
    this.#shownSize = size;
    return this.rest();
  }

  /** The latest state, unless it was shown already; taken when the calls are complete. */
  rest(): readonly ToolCall[] | undefined {
    const held = this.#held;
    this.#held = undefined;
    const text = JSON.stringify(held);
    if (text === undefined || text === this.#shown) return undefined;
    this.#shown = text;
    return held;
  }
}
