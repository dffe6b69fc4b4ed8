/*
 * The visible piece of the time of a turn, in milliseconds from the beginning of the turn. All functions here are pure.
 */

/** A piece of the time of a turn, in milliseconds from its beginning. */
export interface TimeWindow {
  readonly fromMs: number;
  readonly widthMs: number;
}

/** Width of the narrowest window, in milliseconds. Traces have only whole milliseconds. */
const NARROWEST_MS = 5;
/** Margin that is shown on either side of a zoomed span, as a fraction of its duration. */
const MARGIN = 0.1;

/**
 * Returns the window of an address, moved or resized to fit into the whole time. Returns the whole time if the address
 * names no window.
 */
export const windowFrom = (addressed: TimeWindow | undefined, wholeMs: number): TimeWindow =>
  addressed ? clampedWindow(addressed.fromMs, addressed.widthMs, wholeMs) : { fromMs: 0, widthMs: wholeMs };

/** Returns a window of the same width that begins at `fromMs`, moved to fit into the whole time. */
export const movedWindow = ({ widthMs }: TimeWindow, fromMs: number, wholeMs: number): TimeWindow =>
  clampedWindow(fromMs, widthMs, wholeMs);

/** Reports whether a window cannot be narrowed. The whole turn may be shorter than the narrowest window. */
export const isNarrowest = ({ widthMs }: TimeWindow): boolean => widthMs <= NARROWEST_MS;

/** Returns a window `factor` times as wide around the same middle, moved or resized to fit into the whole time. */
export const scaledWindow = (
  { fromMs, widthMs }: TimeWindow,
  factor: number,
  wholeMs: number,
): TimeWindow => {
  const scaledMs = Math.min(Math.max(widthMs * factor, NARROWEST_MS), wholeMs);
  return clampedWindow(fromMs + (widthMs - scaledMs) / 2, scaledMs, wholeMs);
};

/** Returns the window that shows a span with a margin around it, as far as the whole time allows. */
export const windowAround = (
  { startMs, tookMs }: { readonly startMs: number; readonly tookMs: number },
  wholeMs: number,
): TimeWindow => clampedWindow(startMs - tookMs * MARGIN, tookMs * (1 + 2 * MARGIN), wholeMs);

/**
 * Returns the part of a span that a window shows. `at` and `width` are fractions of the width of the window. Returns
 * undefined if the window shows nothing of the span.
 */
export const visiblePartOf = (
  { fromMs, widthMs }: TimeWindow,
  startMs: number,
  tookMs: number,
): { readonly at: number; readonly width: number } | undefined => {
  const at = Math.max(0, (startMs - fromMs) / widthMs);
  const end = Math.min(1, (startMs + tookMs - fromMs) / widthMs);
  return at > 1 || end < 0 ? undefined : { at, width: end - at };
};

/**
 * Returns the nearest window with whole milliseconds that lies within the whole time and is not narrower than
 * `NARROWEST_MS`, unless the whole time is.
 */
const clampedWindow = (fromMs: number, widthMs: number, wholeMs: number): TimeWindow => {
  const clampedMs = Math.min(Math.max(Math.round(widthMs), NARROWEST_MS), wholeMs);
  return { fromMs: Math.min(Math.max(Math.round(fromMs), 0), wholeMs - clampedMs), widthMs: clampedMs };
};
