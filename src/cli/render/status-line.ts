import { withColors, withoutColors, type Colors } from './colors.ts';
import { safeForTerminal } from '../../base/text/safe-for-terminal.ts';
import { fitWidth, fitWidthAtEnd, widthOf } from './text-width.ts';

const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const MIN_CELLS = 10;
const SPIN_MS = 100;
const CLEAR_LINE = '\r\u001B[2K';

/** The present activity, as the line at the bottom of the terminal says it. */
export interface LineStatus {
  readonly text: string;
  /** Stays when something else is written, below it. */
  readonly stays: boolean;
}

export interface StatusLineOptions {
  readonly write: (text: string) => void;
  /** Width of the terminal, in cells. */
  readonly columns: () => number;
  readonly colors: Colors;
  /** Calls `run` every so many milliseconds until the returned function is called. */
  readonly every: (ms: number, run: () => void) => () => void;
}

/** The last row of a terminal, drawn in place with a spinner: what is going on, and what is typed meanwhile. */
export class StatusLine {
  readonly #options: StatusLineOptions;
  #shown: { readonly status: LineStatus; readonly stop: () => void } | undefined;
  /** Text that is typed while nobody asks for it; shows from the next `draw` on. */
  aside = '';

  constructor(options: StatusLineOptions) {
    this.#options = options;
  }

  /** The status that the line shows now. */
  get status(): LineStatus | undefined {
    return this.#shown?.status;
  }

  /** Begins in the row of the cursor, which is empty. */
  draw(status: LineStatus): void {
    const { write, columns, colors, every } = this.#options;
    const safe = safeForTerminal(withoutColors(status.text)).replaceAll(/[\n\t]/g, ' ');
    const aside = status.stays ? '' : safeForTerminal(this.aside);
    let turn = 0;
    const drawOnce = (): void => {
      // One that wraps could not be cleared.
      const line = statusLine(turn++, safe, aside, columns() - 2);
      write(CLEAR_LINE + withColors(colors.dim(line), safeForTerminal));
    };
    drawOnce();
    this.#shown = { status, stop: every(SPIN_MS, drawOnce) };
  }

  /** Leaves an empty row; false where it was none. */
  clear(): boolean {
    if (this.#shown === undefined) return false;
    this.#shown.stop();
    this.#shown = undefined;
    this.#options.write(CLEAR_LINE);
    return true;
  }
}

/** Behind a spinner in its n-th place, in so many cells at most; of what is being typed the end shows. */
const statusLine = (turn: number, text: string, aside: string, most: number): string => {
  const cells = Math.max(MIN_CELLS, most);
  const status = `${SPINNER[turn % SPINNER.length]} ${text}`;
  if (aside === '') return fitWidth(status, cells);
  const start = `${fitWidth(status.trimEnd(), Math.floor(cells / 2))} › `;
  return start + fitWidthAtEnd(aside, cells - widthOf(start));
};
