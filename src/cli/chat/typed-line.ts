/** A message, and how it is shown: pastes by their size. */
export interface SentLine {
  readonly line: string;
  readonly shown: string;
}

/** `eof`: Ctrl-D. `interrupted`: Ctrl-C with nothing typed; `cleared`: Ctrl-C took what was typed away. */
export type TypedLine = SentLine | 'eof' | 'interrupted' | 'cleared';

/** A line that a request of the running turn wants. */
export interface AskedLine {
  readonly prompt: string;
  /**
   * The replies it may be, where not every text is one: one letter counts as soon as it stands alone, others with
   * Enter.
   */
  readonly keys?: readonly string[];
  /** The text that is there already, to be changed. */
  readonly text?: string;
  /** A signal whose abort takes the question back. */
  readonly signal: AbortSignal;
}

/** `escaped`: Escape with nothing typed; `withdrawn`: nobody need answer any more. */
export type TypedReply = TypedLine | 'escaped' | 'withdrawn';

/** The purpose of an open prompt: the next message, or the reply to a request. */
export type WantedLine =
  | { readonly kind: 'message'; readonly prompt: string; readonly resolve: (typed: TypedLine) => void }
  | {
      readonly kind: 'request';
      readonly prompt: string;
      readonly keys: readonly string[] | undefined;
      readonly resolve: (typed: TypedReply) => void;
    };

/** Whether a line is one of those that a request wants; any is where it names none. */
export const isWanted = (wanted: WantedLine | undefined, line: string): boolean =>
  wanted?.kind !== 'request' || wanted.keys?.includes(line.trim().toLowerCase()) !== false;

/** The letter that a request wants and that stands there alone. */
export const wantedLetter = (wanted: WantedLine | undefined, line: string): string | undefined => {
  const keys = wanted?.kind === 'request' ? (wanted.keys ?? []) : [];
  return line.length === 1 ? keys.find((key) => key === line.toLowerCase()) : undefined;
};
