const MAY_BECOME_FENCE = /^ {0,3}(?:`{0,2}|~{0,2})$/;
const OPENING_FENCE = /^ {0,3}(`{3,}|~{3,})/;
const CLOSING_FENCE = /^ {0,3}(`{3,}|~{3,})[ \t\r]*$/;
/** No fence is longer; keeps a line without end from growing in memory. */
const LONGEST_FENCE_LINE = 200;

/** Lets through what stands outside of markdown code fences, character by character. */
export class FenceFilter {
  #state: 'line-start' | 'text' | 'opening-line' | 'fenced' = 'line-start';
  #line = '';
  #fence = '';

  /** The characters that are now known to be text; a line's first ones wait until they cannot be a fence. */
  push(char: string): string {
    if (char === '\n') return this.#endLine();
    if (this.#state === 'text') return char;
    if (this.#line.length < LONGEST_FENCE_LINE) this.#line += char;
    return this.#state === 'line-start' ? this.#beginLine() : '';
  }

  #beginLine(): string {
    if (MAY_BECOME_FENCE.test(this.#line)) return '';
    this.#state = OPENING_FENCE.test(this.#line) ? 'opening-line' : 'text';
    return this.#state === 'text' ? this.#line : '';
  }

  #endLine(): string {
    const line = this.#line;
    const state = this.#state;
    this.#line = '';
    this.#state = this.#stateAfter(line);
    if (state === 'line-start') return `${line}\n`;
    return state === 'text' ? '\n' : '';
  }

  #stateAfter(line: string): 'line-start' | 'fenced' {
    if (this.#state === 'opening-line') {
      this.#fence = OPENING_FENCE.exec(line)?.[1] ?? '';
      return 'fenced';
    }
    const closes = CLOSING_FENCE.exec(line)?.[1]?.startsWith(this.#fence);
    return this.#state === 'fenced' && !closes ? 'fenced' : 'line-start';
  }
}
