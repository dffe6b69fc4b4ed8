import type { TextPiece } from './arms/ask.ts';

/** When the last character of every `#<n>@<ms since the epoch>` arrived, less the time it names; milliseconds. */
export const readLags = (pieces: readonly TextPiece[]): number[] => {
  const text = pieces.map((piece) => piece.text).join('');
  const lags: number[] = [];
  let [piece, end] = [0, pieces[0]?.text.length ?? 0];
  for (const match of text.matchAll(/#\d+@(\d+\.\d{3})/g)) {
    while (end < match.index + match[0].length) end += pieces[(piece += 1)]?.text.length ?? 0;
    lags.push(performance.timeOrigin + (pieces[piece]?.at ?? 0) - Number(match[1]));
  }
  return lags;
};
