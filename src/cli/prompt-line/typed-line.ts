/** A message, and how it is shown, with pastes as their sizes. */
export interface SentLine {
  readonly line: string;
  readonly displayText: string;
}

/**
 * The result of reading a line.
 *
 * - `eof`: Ctrl-D was pressed with nothing typed, or the terminal has hung up.
 * - `interrupted`: Ctrl-C was pressed with nothing typed.
 * - `cleared`: Ctrl-C removed what was typed.
 */
export type TypedLine = SentLine | 'eof' | 'interrupted' | 'cleared';

/** The prompt for a reply to a request of the running turn. */
export interface ReplyPrompt {
  readonly prompt: string;
  /**
   * The possible replies. A single letter counts after a short pause, and other replies with Enter. Absent means that
   * every text is a reply.
   */
  readonly keys?: readonly string[];
  /** Text that is in the line at first, for the person to change. */
  readonly text?: string;
  /** Aborted when no reply is needed any longer. */
  readonly signal: AbortSignal;
}

/**
 * A reply that was typed. `escaped` means that Escape was pressed with nothing typed. `withdrawn` means that no reply
 * is needed any longer.
 */
export type TypedReply = TypedLine | 'escaped' | 'withdrawn';

/** The line that an open prompt expects: the next message, or the reply to a request. */
export type ExpectedLine =
  | { readonly kind: 'message'; readonly prompt: string; readonly resolve: (typed: TypedLine) => void }
  | {
      readonly kind: 'reply';
      readonly prompt: string;
      readonly keys: readonly string[] | undefined;
      readonly resolve: (typed: TypedReply) => void;
    };

/**
 * Reports whether `line` is expected. A reply with keys expects one of these keys, and anything else expects any line.
 */
export const acceptsLine = (expected: ExpectedLine | undefined, line: string): boolean =>
  expected?.kind !== 'reply' || expected.keys?.includes(line.trim().toLowerCase()) !== false;

/** Returns the key of a reply that a line of one letter means, or undefined if it means none. */
export const expectedLetter = (expected: ExpectedLine | undefined, line: string): string | undefined => {
  const keys = expected?.kind === 'reply' ? (expected.keys ?? []) : [];
  return line.length === 1 ? keys.find((key) => key === line.toLowerCase()) : undefined;
};
