import { withColors, withoutColors, type Colors } from './colors.ts';
import { safeForTerminal } from '../../base/text/safe-for-terminal.ts';
import { truncateToWidth, truncateStartToWidth, widthOf } from './text-width.ts';

const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const MIN_CELLS = 10;
const SPIN_MS = 100;
const CLEAR_LINE = '\r\u001B[2K';

/** The status that the line at the bottom of the terminal shows. */
export interface StatusText {
  readonly text: string;
  /** True for a status that stays below whatever else is written. */
  readonly isPinned: boolean;
}

export interface StatusLineOptions {
  readonly write: (text: string) => void;
  /** Width of the terminal, in cells. */
  readonly columns: () => number;
  readonly colors: Colors;
  /** Calls `run` every `ms` milliseconds until the returned function is called. */
  readonly every: (ms: number, run: () => void) => () => void;
}

/** The last row of a terminal, drawn in place with a spinner. It shows what is happening and what is being typed. */
export class StatusLine {
  readonly #options: StatusLineOptions;
  #shown: { readonly status: StatusText; readonly stop: () => void } | undefined;
  /** Text that is typed ahead, before a prompt is open; it is shown from the next `draw` on. */
  typeAhead = '';

  constructor(options: StatusLineOptions) {
    this.#options = options;
  }

  /** The status that the line shows now. Undefined if it shows none. */
  get status(): StatusText | undefined {
    return this.#shown?.status;
  }

  /** Draws a status in the row of the cursor, which is empty, and turns its spinner until `clear` is called. */
  draw(status: StatusText): void {
    const { write, columns, colors, every } = this.#options;
    const safe = safeForTerminal(withoutColors(status.text)).replaceAll(/[\n\t]/g, ' ');
    const typeAhead = status.isPinned ? '' : safeForTerminal(this.typeAhead);
    let frame = 0;
    const drawOnce = (): void => {
      // A line that wraps could not be cleared, so it is cut.
      const line = statusLine(frame++, safe, typeAhead, columns() - 2);
      write(CLEAR_LINE + withColors(colors.dim(line), safeForTerminal));
    };
    drawOnce();
    this.#shown = { status, stop: every(SPIN_MS, drawOnce) };
  }

  /** Removes the status and leaves an empty row. Returns false if no status was shown. */
  clear(): boolean {
    if (this.#shown === undefined) return false;
    this.#shown.stop();
    this.#shown = undefined;
    this.#options.write(CLEAR_LINE);
    return true;
  }
}

/**
 * Returns the line with the `frame`-th picture of the spinner. It takes at most `maxCells` cells, or `MIN_CELLS` if
 * that is more. Of text that is being typed, the end is shown.
 */
const statusLine = (frame: number, text: string, typeAhead: string, maxCells: number): string => {
  const cells = Math.max(MIN_CELLS, maxCells);
  const status = `${SPINNER[frame % SPINNER.length]} ${text}`;
  if (typeAhead === '') return truncateToWidth(status, cells);
  const start = `${truncateToWidth(status.trimEnd(), Math.floor(cells / 2))} › `;
  return start + truncateStartToWidth(typeAhead, cells - widthOf(start));
};
