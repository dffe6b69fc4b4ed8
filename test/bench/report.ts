import { styleText } from 'node:util';
import type { Summary } from './statistics.ts';

/** A check that decides whether a figure passes: `value` may be at most, or must be at least, `bar`. */
export interface Check {
  readonly what: string;
  readonly value: number;
  readonly bar: number;
  readonly side: 'at most' | 'at least';
  /** The unit, which is printed behind both numbers. */
  readonly unit: string;
}

/** Returns the usual check: the value is not more than the bar. */
export const atMost = (what: string, value: number, bar: number, unit = ''): Check => ({
  what,
  value,
  bar,
  side: 'at most',
  unit,
});

/** What one figure prints. */
export interface Report {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly checks: readonly Check[];
  readonly notes?: readonly string[];
}

export const passes = ({ value, bar, side }: Check): boolean =>
  side === 'at most' ? value <= bar : value >= bar;

export const rounded = (value: number): string =>
  Number.isInteger(value) ? String(value) : value.toFixed(Math.abs(value) >= 100 ? 0 : 2);

/** The columns of `summaryRow`. */
export const SUMMARY_COLUMNS = ['N', 'p50', 'p95', 'p99'] as const;

/** Returns a row of a table: what was measured, and its distribution. */
export const summaryRow = (what: string, { n, p50, p95, p99 }: Summary): string[] => [
  what,
  String(n),
  ...[p50, p95, p99].map(rounded),
];

const signOf = ({ side }: Check): string => (side === 'at most' ? '≤' : '≥');

const verdictOf = (check: Check): string =>
  passes(check) ? styleText('green', 'pass') : styleText('red', 'FAIL');

const formatCheck = (check: Check): string =>
  `  ${verdictOf(check)}  ${check.what}: ${rounded(check.value)}${check.unit} (${signOf(check)} ${check.bar}${check.unit})`;

/** Formats a table with its first column to the left and numbers to the right. */
const formatTable = (lines: readonly (readonly string[])[]): string[] => {
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  const cell = (text: string, column: number): string => {
    const width = widths[column] ?? 0;
    return column === 0 ? text.padEnd(width) : text.padStart(width);
  };
  return lines.map((line) => `  ${line.map(cell).join('  ')}`.trimEnd());
};

export const formatReport = (title: string, { columns, rows, checks, notes = [] }: Report): string =>
  [
    styleText('bold', title),
    ...formatTable([columns, ...rows]),
    ...checks.map(formatCheck),
    ...notes.map((note) => `  ${note}`),
    '',
  ].join('\n');
