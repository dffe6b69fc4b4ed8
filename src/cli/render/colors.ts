import { randomInt } from 'node:crypto';
import { inspect } from 'node:util';

const STYLES = [
  'bold',
  'dim',
  'italic',
  'underline',
  'strikethrough',
  'red',
  'green',
  'yellow',
  'cyan',
] as const;

/** Functions that colour a text, or leave it as it is. */
export type Colors = Readonly<Record<(typeof STYLES)[number], (text: string) => string>>;

/**
 * The number with which this process signs its colours. Nobody else knows it, and only signed sequences become real
 * colours on the way out. So a line may hold both colours and foreign text, and foreign text colours nothing. Each part
 * has at most four digits, so that the usual libraries take such a sequence for one without width.
 */
const SIGNATURE = Array.from({ length: 4 }, () => randomInt(1_000, 10_000)).join(';');
const SIGNED = new RegExp(`\\u001b\\[${SIGNATURE};(\\d+)m`);

/** Creates functions that colour a text. If `isEnabled` is false, they return every text as it is. */
export const createColors = (isEnabled: boolean): Colors => {
  const paint = (style: (typeof STYLES)[number]) => {
    const [on = 0, off = 0] = inspect.colors[style] ?? [];
    // An end inside the text would also end the style around it, since bold and dim share one end. So the style begins
    // again after it.
    return (text: string): string =>
      isEnabled ? signed(on) + text.replaceAll(signed(off), signed(off) + signed(on)) + signed(off) : text;
  };
  return Object.fromEntries(STYLES.map((style) => [style, paint(style)])) as Colors;
};

const signed = (code: number): string => `\u001B[${SIGNATURE};${code}m`;

/** Returns `text` for a terminal: signed colours become real ones, and `show` is applied to everything else. */
export const withColors = (text: string, show: (part: string) => string): string =>
  text
    .split(SIGNED)
    .map((part, i) => (i % 2 === 0 ? show(part) : `\u001B[${part}m`))
    .join('');

/** Returns the text without the colours that Orion gave it, for outputs that are no terminal. */
export const withoutColors = (text: string): string =>
  text
    .split(SIGNED)
    .filter((_, i) => i % 2 === 0)
    .join('');
