import type { ResultPlace } from '../../src/contracts/model/left-out.ts';
import type { ModelMessage } from '../../src/contracts/model/model-message.ts';

/**
 * The messages that a turn's model calls have been given, each with the step that was given it first, without those of
 * withdrawn steps.
 */
export class SentStepMessages {
  readonly #parts: { readonly step: number; readonly messages: readonly ModelMessage[] }[] = [];
  /**
   * Steps whose stored messages are no longer part of prompts. A line of text stands for those that the core has
   * replaced, and the next step is sent the others once more.
   */
  readonly withdrawn: number[] = [];

  /** Adds the messages that `unsentOf` has returned for this step. */
  add(step: number, messages: readonly ModelMessage[]): void {
    this.#parts.push({ step, messages });
  }

  /**
   * Returns the messages that the next step must be sent, because no other step has them. The core may have replaced
   * earlier messages by a line of text: the first step with such a message, and all steps after it, are then withdrawn.
   */
  unsentOf(messages: readonly ModelMessage[]): ModelMessage[] {
    let index = 0;
    const firstChanged = this.#parts.findIndex((part) => {
      const start = index;
      index += part.messages.length;
      return part.messages.some((message, i) => messages[start + i] !== message);
    });
    if (firstChanged < 0) return messages.slice(index);
    const withdrawnParts = this.#parts.splice(firstChanged);
    this.withdrawn.push(...withdrawnParts.map(({ step }) => step));
    return messages.slice(this.#parts.reduce((sum, part) => sum + part.messages.length, 0));
  }

  /**
   * Returns the indexes of results in the core's messages. A result of a withdrawn step has no index and is left out.
   */
  indexesOf(places: readonly ResultPlace[]): number[] {
    const begins = new Map<number, number>();
    let index = 0;
    for (const { step, messages } of this.#parts) {
      begins.set(step, index);
      index += messages.length;
    }
    return places.flatMap((place) => {
      const begin = begins.get(place.step);
      return begin === undefined ? [] : [begin + place.at];
    });
  }
}
