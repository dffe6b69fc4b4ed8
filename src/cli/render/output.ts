/** The part of a writable stream that the command needs. */
export interface OutputStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

/** Returns the size of a terminal, 80 × 24 if it has none. A pseudo-terminal may have no size, which shows as 0. */
export const terminalSizeOf = ({ columns, rows }: OutputStream): { columns: number; rows: number } => ({
  columns: columns || 80,
  rows: rows || 24,
});

/**
 * Returns a value as JSON on one line, with a line break at its end. `--json` prints in this form, so that scripts can
 * read one value from each line.
 */
export const jsonLine = (value: unknown): string => `${JSON.stringify(value)}\n`;

const DIRECTIONS = { up: 'A', down: 'B', right: 'C' } as const;

/** Returns the sequence that moves the cursor by `count` rows or cells, or an empty text for 0 or less. */
export const cursorMove = (count: number, direction: keyof typeof DIRECTIONS): string =>
  count > 0 ? `\u001B[${count}${DIRECTIONS[direction]}` : '';
