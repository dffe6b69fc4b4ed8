/* The piece of a turn's time that is seen, in milliseconds from its beginning. All functions here are pure. */

/** A piece of time within a whole one. */
export interface TimeWindow {
  readonly fromMs: number;
  readonly widthMs: number;
}

/** Milliseconds of the narrowest window: traces count in whole milliseconds. */
const NARROWEST_MS = 5;
/** Share of a zoomed span that is shown on either side of it. */
const MARGIN = 0.1;

const clampedWindow = (fromMs: number, widthMs: number, wholeMs: number): TimeWindow => {
  const wide = Math.min(Math.max(Math.round(widthMs), NARROWEST_MS), wholeMs);
  return { fromMs: Math.min(Math.max(Math.round(fromMs), 0), wholeMs - wide), widthMs: wide };
};

/** Returns the window of an address, as far as there is time; without one the whole time. */
export const windowFrom = (addressed: TimeWindow | undefined, wholeMs: number): TimeWindow =>
  addressed ? clampedWindow(addressed.fromMs, addressed.widthMs, wholeMs) : { fromMs: 0, widthMs: wholeMs };

/** Returns a window that begins elsewhere, as far as there is time. */
export const movedWindow = ({ widthMs }: TimeWindow, fromMs: number, wholeMs: number): TimeWindow =>
  clampedWindow(fromMs, widthMs, wholeMs);

/** Returns true when there is no narrower window: the whole time may be as short. */
export const isNarrowest = ({ widthMs }: TimeWindow): boolean => widthMs <= NARROWEST_MS;

/** Returns a window `factor` times as wide around the same middle; no wider than the whole. */
export const scaledWindow = (
  { fromMs, widthMs }: TimeWindow,
  factor: number,
  wholeMs: number,
): TimeWindow => {
  const wide = Math.min(Math.max(widthMs * factor, NARROWEST_MS), wholeMs);
  return clampedWindow(fromMs + (widthMs - wide) / 2, wide, wholeMs);
};

/** Returns the window that shows a span with a little around it. */
export const windowAround = (
  { startMs, tookMs }: { readonly startMs: number; readonly tookMs: number },
  wholeMs: number,
): TimeWindow => clampedWindow(startMs - tookMs * MARGIN, tookMs * (1 + 2 * MARGIN), wholeMs);

/** Returns the part of a span that a window shows, from 0 to 1 of its width, or undefined if it shows none of it. */
export const visiblePartOf = (
  { fromMs, widthMs }: TimeWindow,
  startMs: number,
  tookMs: number,
): { readonly at: number; readonly width: number } | undefined => {
  const at = Math.max(0, (startMs - fromMs) / widthMs);
  const end = Math.min(1, (startMs + tookMs - fromMs) / widthMs);
  return at > 1 || end < 0 ? undefined : { at, width: end - at };
};
