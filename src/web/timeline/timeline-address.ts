/** What is open of a turn's timeline, as the address says it after `#` (docs/chat-page.md "What it shows"). Pure. */
import type { TimeWindow } from './timeline-window.ts';

/** The piece of the time that a list of a turn's steps is zoomed to, and which of them are open. */
export interface SeenSteps {
  /** The piece of the time that is zoomed to; absent: all of it. */
  readonly window?: TimeWindow;
  /** Ids of the steps that stand open. */
  readonly open: readonly string[];
}

/** The lists of steps that a timeline has: its own, and in a comparison one of each turn. */
export type StepList = (typeof LISTS)[number];
const LISTS = ['steps', 'this', 'other'] as const;

/** A turn's timeline as it is looked at. */
export interface TimelinePlace {
  readonly turnId: string;
  /** The turn beside it. */
  readonly besideTurnId?: string;
  /** Absent for a list of which all is seen, and nothing open. */
  readonly seen: Readonly<Partial<Record<StepList, SeenSteps>>>;
}

/** What is seen of one list of a timeline, and how it becomes something else. */
export const seenSteps = (list: StepList, place: TimelinePlace, onShow: (place: TimelinePlace) => void) => ({
  seen: place.seen[list] ?? NOTHING_OPEN,
  onSeen: (seen: SeenSteps): void => onShow({ ...place, seen: { ...place.seen, [list]: seen } }),
});

/** Nothing is open and all of the time is seen. */
const NOTHING_OPEN: SeenSteps = { open: [] };

const PREFIX = '#did-';
const PARTS = ';';
/** No id of a turn, a trace event or an input has one of these (docs/http-api.md "Ids"). */
const ITEMS = ',';
const ID = /^[A-Za-z0-9_.:/-]{1,160}$/;
const WINDOW = /^~(\d{1,12})-(\d{1,12})$/;
/** Steps that an address names at most: proxies refuse longer ones, and nobody reads more at once. */
const MAX_OPEN = 40;

/** The part of the address that opens a timeline so again. The steps that were opened last are named, 40 at most. */
export const timelineAddress = ({ turnId, besideTurnId, seen }: TimelinePlace): string => {
  const turns = besideTurnId === undefined ? turnId : turnId + ITEMS + besideTurnId;
  const lists = LISTS.map((list) => {
    const { window, open } = seen[list] ?? NOTHING_OPEN;
    const piece = window && `~${Math.round(window.fromMs)}-${Math.round(window.fromMs + window.wideMs)}`;
    const items = [...(piece === undefined ? [] : [piece]), ...open.slice(-MAX_OPEN)];
    return items.length === 0 ? '' : `${list}=${items.join(ITEMS)}`;
  });
  return PREFIX + [turns, ...lists].filter((part) => part !== '').join(PARTS);
};

/** The timeline that such an address names; undefined for any other. What it does not understand is left out. */
export const addressedTimeline = (hash: string): TimelinePlace | undefined => {
  if (!hash.startsWith(PREFIX)) return undefined;
  const [turns = '', ...lists] = hash.slice(PREFIX.length).split(PARTS);
  const [turnId = '', besideTurnId = ''] = turns.split(ITEMS);
  if (!ID.test(turnId)) return undefined;
  const seen = LISTS.flatMap((list): readonly (readonly [StepList, SeenSteps])[] => {
    const said = lists.find((part) => part.startsWith(`${list}=`));
    return said === undefined ? [] : [[list, seenIn(said.slice(list.length + 1).split(ITEMS))]];
  });
  return { turnId, ...(ID.test(besideTurnId) && { besideTurnId }), seen: Object.fromEntries(seen) };
};

const seenIn = (items: readonly string[]): SeenSteps => {
  const [, from, to] = WINDOW.exec(items[0] ?? '') ?? [];
  const [fromMs, toMs] = [Number(from), Number(to)];
  const open = [...new Set(items.filter((item) => ID.test(item)))].slice(-MAX_OPEN);
  return { ...(toMs > fromMs && { window: { fromMs, wideMs: toMs - fromMs } }), open };
};
