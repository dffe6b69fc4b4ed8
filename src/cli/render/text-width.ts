import stringWidth from 'string-width';

const PLAIN = /^[\x20-\x7E]*$/;
const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Cells that a text without tabs and line breaks takes; colours take none. */
export const widthOf = (text: string): number => (PLAIN.test(text) ? text.length : stringWidth(text));

/** What a person takes for one character each: a letter with its accents, an emoji of several. */
export const graphemesOf = (text: string): string[] =>
  PLAIN.test(text) ? text.split('') : Array.from(segmenter.segment(text), ({ segment }) => segment);

/** The beginning of a text that takes at most so many cells; what is left out shows as an ellipsis. */
export const fitted = (text: string, cells: number): string => {
  if (widthOf(text) <= cells) return text;
  let kept = '';
  let width = 1;
  for (const grapheme of graphemesOf(text)) {
    width += widthOf(grapheme);
    if (width > cells) break;
    kept += grapheme;
  }
  return `${kept}…`;
};
