import type { ToolCall } from '../../src/contracts/tools/tool-call.ts';

const MIN_GAP_MS = 100;
/** Each event repeats the whole text so far: growing by a quarter at least keeps the sum under five times it. */
const MIN_GROWTH = 1.25;

/**
 * Thins out the cumulative `tool_calls` events of a stream. The first is sent as soon as a name is known, then at most
 * ten a second. The last one is always sent, when `flush` is called. Only what is sent is rendered.
 */
export class ToolCallThrottle {
  #shownAt = Number.NEGATIVE_INFINITY;
  #shownSize = 0;
  #shown = '';
  #latest: (() => readonly ToolCall[]) | undefined;

  /**
   * Returns the calls to show now, or undefined while it is too early. `size` is the number of characters of their
   * names and arguments. `now` is in milliseconds.
   */
  push(size: number, render: () => readonly ToolCall[], now: number): readonly ToolCall[] | undefined {
    this.#latest = render;
    if (now - this.#shownAt < MIN_GAP_MS || size < this.#shownSize * MIN_GROWTH) return undefined;
    const shown = this.flush();
    if (shown === undefined) return undefined;
    this.#shownAt = now;
    this.#shownSize = size;
    return shown;
  }

  /** The latest state, unless it was shown already or has no name; taken when the calls are complete. */
  flush(): readonly ToolCall[] | undefined {
    const calls = this.#latest?.();
    this.#latest = undefined;
    if (!calls?.some((call) => call.function.name !== '')) return undefined;
    const text = JSON.stringify(calls);
    if (text === this.#shown) return undefined;
    this.#shown = text;
    return calls;
  }
}
