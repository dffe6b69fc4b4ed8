import type { YieldToLoop } from '../../base/timing/yield-to-loop.ts';
import { PatternSearch } from '../../contracts/values/knuth-morris-pratt.ts';
import { KIB } from '../../contracts/values/units.ts';

/** The places of a piece of text in a content, and their number. */
export interface FoundPlaces {
  /** Number of places, including overlapping ones. */
  readonly count: number;
  /** Offsets of the first places, ascending. */
  readonly at: readonly number[];
}

/** Number of bytes after which the event loop may get its turn. */
const BLOCK_BYTES = 256 * KIB;

/**
 * Finds all places of `piece`, and returns the offsets of the first `limit` of them. It uses `PatternSearch`, since on
 * contents such as `aaa…` the time of `indexOf` is proportional to the product of both lengths. An empty piece is found
 * nowhere.
 */
export const findPlaces = async (
  content: Buffer,
  piece: Buffer,
  limit: number,
  yieldToLoop: YieldToLoop,
): Promise<FoundPlaces> => {
  const search = new PatternSearch(piece.toString('latin1'));
  const at: number[] = [];
  let count = 0;
  for (let from = 0; from < content.length && piece.length > 0; from += BLOCK_BYTES) {
    const to = Math.min(from + BLOCK_BYTES, content.length);
    for (let i = from; i < to; i += 1) {
      if (!search.push(content[i] ?? 0)) continue;
      count += 1;
      if (at.length < limit) at.push(i + 1 - piece.length);
    }
    await yieldToLoop();
  }
  return { count, at };
};
