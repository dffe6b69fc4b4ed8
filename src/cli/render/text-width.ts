import stringWidth from 'string-width';

const PLAIN = /^[\x20-\x7E]*$/;
const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Counts the cells that a text without tabs and line breaks takes. Colours take none. */
export const widthOf = (text: string): number => (PLAIN.test(text) ? text.length : stringWidth(text));

/**
 * Splits a text into the characters that a person sees, such as a letter with its accents or an emoji of several parts.
 */
export const graphemesOf = (text: string): string[] =>
  PLAIN.test(text) ? text.split('') : Array.from(segmenter.segment(text), ({ segment }) => segment);

/** Returns the beginning of a text that takes at most `cells` cells. What is left out shows as an ellipsis. */
export const truncateToWidth = (text: string, cells: number): string =>
  widthOf(text) <= cells ? text : `${withinCells(graphemesOf(text), cells - 1).join('')}…`;

/** Returns the end of a text that fits into a number of cells, as `truncateToWidth` returns its beginning. */
export const truncateStartToWidth = (text: string, cells: number): string =>
  widthOf(text) <= cells
    ? text
    : `…${withinCells(graphemesOf(text).toReversed(), cells - 1)
        .toReversed()
        .join('')}`;

const withinCells = (graphemes: readonly string[], cells: number): string[] => {
  let width = 0;
  const end = graphemes.findIndex((grapheme) => (width += widthOf(grapheme)) > cells);
  return graphemes.slice(0, end < 0 ? graphemes.length : end);
};
