import type { TextPiece } from './arms/ask.ts';

/** One mark `#<n>@<ms since 1970>` in a text: when it was sent, and how long its last character took to arrive. */
export interface TimedChunk {
  /** When the mark was sent, in milliseconds since 1970. */
  readonly sentAt: number;
  readonly lag: number;
}

/** Returns the lags of all timed chunks in milliseconds. */
export const readLags = (pieces: readonly TextPiece[]): number[] => readTimed(pieces).map(({ lag }) => lag);

export const readTimed = (pieces: readonly TextPiece[]): TimedChunk[] => {
  const text = pieces.map((piece) => piece.text).join('');
  const chunks: TimedChunk[] = [];
  let [piece, end] = [0, pieces[0]?.text.length ?? 0];
  for (const match of text.matchAll(/#\d+@(\d+\.\d{3})/g)) {
    while (end < match.index + match[0].length) end += pieces[(piece += 1)]?.text.length ?? 0;
    const sentAt = Number(match[1]);
    chunks.push({ sentAt, lag: performance.timeOrigin + (pieces[piece]?.at ?? 0) - sentAt });
  }
  return chunks;
};
