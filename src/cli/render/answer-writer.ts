/** Shows the text of a turn while it arrives. */
export interface AnswerWriter {
  /** Takes the next text. When it is shown depends on the output. */
  write(chunk: string): void;
  /** Withdraws all but the first `keptLength` characters of the text. */
  withdraw(keptLength: number): void;
  /** Notes that no model call can withdraw the text so far. */
  settle(): void;
  /** Sets whether the text that follows is the content of a file, and not Markdown. */
  setVerbatim(isVerbatim: boolean): void;
  /** Settles the text, and ends its last line. */
  end(): void;
}
