import type { ToolCall } from '../../src/contracts/tools/tool-call.ts';

/** Shortest time in milliseconds between two events. Only the last event, from `flush`, may come sooner. */
const MIN_GAP_MS = 100;
/**
 * Factor by which the text must have grown since the last event. Each event repeats the whole text so far. Growth by a
 * quarter keeps the sum of all events except the last below five times that text.
 */
const MIN_GROWTH = 1.25;

/**
 * Thins out the cumulative `tool_calls` events of a stream. The first event is sent as soon as a name is known, and
 * later ones at most ten times a second. The caller sends the last one by `flush`. Calls are rendered only when they
 * may be sent.
 */
export class ToolCallThrottle {
  #shownAt = Number.NEGATIVE_INFINITY;
  #shownSize = 0;
  #shown = '';
  #latest: (() => readonly ToolCall[]) | undefined;

  /**
   * Returns the calls to show now. Returns undefined while it is too early, and whenever `flush` would. `size` is the
   * number of characters of their names and arguments. `now` is in milliseconds.
   */
  push(size: number, render: () => readonly ToolCall[], now: number): readonly ToolCall[] | undefined {
    this.#latest = render;
    if (now - this.#shownAt < MIN_GAP_MS || size < this.#shownSize * MIN_GROWTH) return undefined;
    const chunk = this.flush();
    if (chunk === undefined) return undefined;
    this.#shownAt = now;
    this.#shownSize = size;
    return chunk;
  }

  /**
   * Returns the latest calls, or undefined if they were shown already or none of them has a name. Call it when the
   * stream has ended.
   */
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
