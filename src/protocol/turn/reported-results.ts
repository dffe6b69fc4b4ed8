import type { ModelMessage } from '../../contracts/model/model-message.ts';
import type { ToolDeclaration } from '../../contracts/tools/tool-call.ts';
import type { CheckedCall } from '../calls/checked-call.ts';

interface ReportedResult {
  readonly message: ModelMessage;
  readonly effect: ToolDeclaration['effect'];
}

/**
 * The results that the model was told in a turn, and which of them its last prompt left out (docs/context.md "Window").
 */
export class ReportedResults {
  /**
   * The message with the latest result of each signature. The model knows the result as long as prompts contain the
   * message.
   */
  readonly #latest = new Map<string, ReportedResult>();
  #leftOut: ReadonlySet<ModelMessage> = new Set();

  /** Notes that the model is told the result of a call by this message. */
  add({ signature, declaration }: CheckedCall, message: ModelMessage): void {
    this.#latest.set(signature, { message, effect: declaration.effect });
  }

  /** Notes that the last model call was sent one line instead of each of these messages, and of no other. */
  noteLeftOut(messages: Iterable<ModelMessage>): void {
    this.#leftOut = new Set(messages);
  }

  /** Returns the message with the result of a call if the last prompt left it out, otherwise undefined. */
  leftOutMessage(signature: string): ModelMessage | undefined {
    const latest = this.#latest.get(signature);
    return latest && this.#leftOut.has(latest.message) ? latest.message : undefined;
  }

  /** Reports whether a call may run again because its result is left out. Only reads may. */
  mayReadAgain(signature: string): boolean {
    return this.#latest.get(signature)?.effect === 'read' && this.leftOutMessage(signature) !== undefined;
  }
}
