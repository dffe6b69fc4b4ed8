import type { ResultPlace } from '../../src/contracts/model/left-out.ts';
import type { ModelMessage } from '../../src/contracts/model/model-message.ts';

/** The messages that model calls of a turn were handed over, each by the step that was the first to be sent it. */
export class SentStepMessages {
  readonly #parts: { readonly step: number; readonly messages: readonly ModelMessage[] }[] = [];
  /** Steps whose messages are not sent again. A line replaces what they held. */
  readonly withdrawn: number[] = [];

  add(step: number, messages: readonly ModelMessage[]): void {
    this.#parts.push({ step, messages });
  }

  /**
   * The messages that no step has handed over yet. The core may have put a line in the place of earlier messages: the
   * steps that brought those are then withdrawn.
   */
  unsentOf(messages: readonly ModelMessage[]): ModelMessage[] {
    let at = 0;
    const kept = this.#parts.findIndex((part) => {
      const start = at;
      at += part.messages.length;
      return part.messages.some((message, i) => messages[start + i] !== message);
    });
    if (kept < 0) return messages.slice(at);
    const gone = this.#parts.splice(kept);
    this.withdrawn.push(...gone.map(({ step }) => step));
    return messages.slice(this.#parts.reduce((sum, part) => sum + part.messages.length, 0));
  }

  /** Returns the indexes, in the core's messages, of results. A result of a withdrawn step has none. */
  indexesOf(places: readonly ResultPlace[]): number[] {
    const begins = new Map<number, number>();
    let at = 0;
    for (const { step, messages } of this.#parts) {
      begins.set(step, at);
      at += messages.length;
    }
    return places.flatMap((place) => {
      const begin = begins.get(place.step);
      return begin === undefined ? [] : [begin + place.at];
    });
  }
}
