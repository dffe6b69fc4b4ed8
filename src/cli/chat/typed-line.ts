/** A message, and how it is shown, with pastes as their sizes. */
export interface SentLine {
  readonly line: string;
  readonly shown: string;
}

/** `eof`: Ctrl-D. `interrupted`: Ctrl-C with nothing typed; `cleared`: Ctrl-C removed what was typed. */
export type TypedLine = SentLine | 'eof' | 'interrupted' | 'cleared';

/** A line that a request of the running turn asks for. */
export interface AskedLine {
  readonly prompt: string;
  /**
   * The possible replies, where not every text is one: a single letter counts as soon as it stands by itself, others
   * with Enter.
   */
  readonly keys?: readonly string[];
  /** Text that is given in the line, to be changed. */
  readonly text?: string;
  /** Aborted when the question is taken back. */
  readonly signal: AbortSignal;
}

/** `escaped`: Escape with nothing typed; `withdrawn`: no reply is needed any longer. */
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

/** Tells if a line is one of those that a request wants; any line is where it names none. */
export const isWanted = (wanted: WantedLine | undefined, line: string): boolean =>
  wanted?.kind !== 'request' || wanted.keys?.includes(line.trim().toLowerCase()) !== false;

/** Returns the letter that a request wants, if it stands by itself in the line. */
export const wantedLetter = (wanted: WantedLine | undefined, line: string): string | undefined => {
  const keys = wanted?.kind === 'request' ? (wanted.keys ?? []) : [];
  return line.length === 1 ? keys.find((key) => key === line.toLowerCase()) : undefined;
};
