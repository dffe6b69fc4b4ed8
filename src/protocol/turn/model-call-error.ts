import type { TurnErrorCode } from '../../contracts/wire/turn-event.ts';

/**
 * What an `LlmAdapter` throws when a model call failed for good, after every retry: the turn ends with
 * `error { code, message }`. The message is shown to the user and must hold no secret.
 */
export class ModelCallError extends Error {
  readonly code: TurnErrorCode;

  constructor(code: TurnErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ModelCallError';
    this.code = code;
  }
}
