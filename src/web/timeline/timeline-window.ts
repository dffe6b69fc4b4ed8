/* The piece of a turn's time that is seen, in milliseconds from its beginning. All functions here are pure. */

/** A piece of time within a whole one. */
export interface TimeWindow {
  readonly fromMs: number;
  readonly wideMs: number;
}

/** Milliseconds of the narrowest window: traces count in whole milliseconds. */
const NARROWEST_MS = 5;
/** Share of a zoomed span that is shown on either side of it. */
const MARGIN = 0.1;

const fitted = (fromMs: number, wideMs: number, wholeMs: number): TimeWindow => {
  const wide = Math.min(Math.max(Math.round(wideMs), NARROWEST_MS), wholeMs);
  return { fromMs: Math.min(Math.max(Math.round(fromMs), 0), wholeMs - wide), wideMs: wide };
};

/** Returns the window of an address, as far as there is time; without one the whole time. */
export const windowFrom = (addressed: TimeWindow | undefined, wholeMs: number): TimeWindow =>
  addressed ? fitted(addressed.fromMs, addressed.wideMs, wholeMs) : { fromMs: 0, wideMs: wholeMs };

/** Returns a window that begins elsewhere, as far as there is time. */
export const movedTo = ({ wideMs }: TimeWindow, fromMs: number, wholeMs: number): TimeWindow =>
  fitted(fromMs, wideMs, wholeMs);

/** Tells if there is no narrower window: the whole time may be as short. */
export const isNarrowest = ({ wideMs }: TimeWindow): boolean => wideMs <= NARROWEST_MS;

/** Returns a window `factor` times as wide around the same middle; no wider than the whole. */
export const widened = ({ fromMs, wideMs }: TimeWindow, factor: number, wholeMs: number): TimeWindow => {
  const wide = Math.min(Math.max(wideMs * factor, NARROWEST_MS), wholeMs);
  return fitted(fromMs + (wideMs - wide) / 2, wide, wholeMs);
};

/** Returns the window that shows a span with a little around it. */
export const windowOf = (
  { beganMs, tookMs }: { readonly beganMs: number; readonly tookMs: number },
  wholeMs: number,
): TimeWindow => fitted(beganMs - tookMs * MARGIN, tookMs * (1 + 2 * MARGIN), wholeMs);

/** Returns the part of a span that a window shows, from 0 to 1 of its width; undefined: none of it. */
export const seenOf = (
  { fromMs, wideMs }: TimeWindow,
  beganMs: number,
  tookMs: number,
): { readonly at: number; readonly wide: number } | undefined => {
  const at = Math.max(0, (beganMs - fromMs) / wideMs);
  const end = Math.min(1, (beganMs + tookMs - fromMs) / wideMs);
  return at > 1 || end < 0 ? undefined : { at, wide: end - at };
};
