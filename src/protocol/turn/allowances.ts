/** The tools that a person has allowed for the rest of a turn (I8 of docs/protocol.md "Invariants"). */
export class Allowances {
  readonly #inputIds = new Map<string, string>();

  /** Allows the tool. `inputId` is the id of the request whose reply allowed it. */
  add(tool: string, inputId: string): void {
    this.#inputIds.set(tool, inputId);
  }

  /** Returns the id of the request whose reply allowed the tool. Returns undefined if none did. */
  inputIdFor(tool: string): string | undefined {
    return this.#inputIds.get(tool);
  }
}
