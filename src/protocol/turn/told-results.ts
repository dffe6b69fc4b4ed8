import type { ModelMessage } from '../../contracts/model/model-message.ts';
import type { ToolDeclaration } from '../../contracts/tools/tool-call.ts';
import type { CheckedCall } from '../calls/checked-call.ts';

interface ToldResult {
  readonly message: ModelMessage;
  readonly effect: ToolDeclaration['effect'];
}

/**
 * The results that the model was told in a turn, and which of them its last prompt left out (docs/context.md "Window").
 */
export class ToldResults {
  /** The latest of each signature: the model has what it says there as long as that one stands. */
  readonly #latest = new Map<string, ToldResult>();
  #leftOut: ReadonlySet<ModelMessage> = new Set();

  tell({ signature, declaration }: CheckedCall, message: ModelMessage): void {
    this.#latest.set(signature, { message, effect: declaration.effect });
  }

  /** The last model call was sent a line in the place of each of these messages. */
  leaveOut(messages: Iterable<ModelMessage>): void {
    this.#leftOut = new Set(messages);
  }

  /** The result of a call, while prompts leave it out. */
  leftOutOf(signature: string): ModelMessage | undefined {
    const told = this.#latest.get(signature);
    return told && this.#leftOut.has(told.message) ? told.message : undefined;
  }

  /** A read may run again where its result is left out; what has changed something never does for that. */
  mayReadAgain(signature: string): boolean {
    return this.#latest.get(signature)?.effect === 'read' && this.leftOutOf(signature) !== undefined;
  }
}
