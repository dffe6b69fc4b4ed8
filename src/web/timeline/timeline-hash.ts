/*
 * What is open of a turn's timeline, as the part of the address after `#` names it (docs/chat-page.md "What it shows").
 * All functions here are pure.
 */
import type { TimeWindow } from './timeline-window.ts';

/** The piece of the time that a list of a turn's steps is zoomed to, and which of them are open. */
export interface StepListState {
  /** The piece of time that is zoomed to. Absent means all of it. */
  readonly window?: TimeWindow;
  /** Ids of the open steps. */
  readonly open: readonly string[];
}

/** The lists of steps in a timeline: its own, and in a comparison one of each turn. */
export type StepList = (typeof LISTS)[number];
const LISTS = ['steps', 'this', 'other'] as const;

/** A turn's timeline as the page shows it: which turn, and which steps are open. */
export interface TimelineState {
  readonly turnId: string;
  /** The turn that it is compared with. */
  readonly comparedTurnId?: string;
  /** The part that is shown of each list. Absent for a list that is shown whole, with nothing open. */
  readonly seen: Readonly<Partial<Record<StepList, StepListState>>>;
}

/** Returns what is shown of one list of a timeline, and the function that changes it. */
export const stepListProps = (
  list: StepList,
  state: TimelineState,
  onShow: (state: TimelineState) => void,
) => ({
  seen: state.seen[list] ?? NOTHING_OPEN,
  onSeen: (seen: StepListState): void => onShow({ ...state, seen: { ...state.seen, [list]: seen } }),
});

/** All of the time is shown, and nothing is open. */
const NOTHING_OPEN: StepListState = { open: [] };

const PREFIX = '#did-';
const PARTS = ';';
/** Separator of ids: no id of a turn, a trace event or an input contains it (docs/http-api.md "Ids"). */
const ITEMS = ',';
const ID = /^[A-Za-z0-9_.:/-]{1,160}$/;
const WINDOW = /^~(\d{1,12})-(\d{1,12})$/;
/** Most steps that an address names. Proxies refuse longer addresses, and nobody reads more at once. */
const MAX_OPEN = 40;

/**
 * Returns the part of the address that opens a timeline in this state again. It names the steps that were opened last,
 * at most 40.
 */
export const timelineHash = ({ turnId, comparedTurnId, seen }: TimelineState): string => {
  const turns = comparedTurnId === undefined ? turnId : turnId + ITEMS + comparedTurnId;
  const lists = LISTS.map((list) => {
    const { window, open } = seen[list] ?? NOTHING_OPEN;
    const piece = window && `~${Math.round(window.fromMs)}-${Math.round(window.fromMs + window.widthMs)}`;
    const items = [...(piece === undefined ? [] : [piece]), ...open.slice(-MAX_OPEN)];
    return items.length === 0 ? '' : `${list}=${items.join(ITEMS)}`;
  });
  return PREFIX + [turns, ...lists].filter((part) => part !== '').join(PARTS);
};

/**
 * Returns the timeline that such an address names. Returns undefined for any other. Parts that it does not understand
 * are left out.
 */
export const readTimelineHash = (hash: string): TimelineState | undefined => {
  if (!hash.startsWith(PREFIX)) return undefined;
  const [turns = '', ...lists] = hash.slice(PREFIX.length).split(PARTS);
  const [turnId = '', comparedTurnId = ''] = turns.split(ITEMS);
  if (!ID.test(turnId)) return undefined;
  const seen = LISTS.flatMap((list): readonly (readonly [StepList, StepListState])[] => {
    const entry = lists.find((part) => part.startsWith(`${list}=`));
    return entry === undefined ? [] : [[list, seenIn(entry.slice(list.length + 1).split(ITEMS))]];
  });
  return { turnId, ...(ID.test(comparedTurnId) && { comparedTurnId }), seen: Object.fromEntries(seen) };
};

const seenIn = (items: readonly string[]): StepListState => {
  const [, from, to] = WINDOW.exec(items[0] ?? '') ?? [];
  const [fromMs, toMs] = [Number(from), Number(to)];
  const open = [...new Set(items.filter((item) => ID.test(item)))].slice(-MAX_OPEN);
  return { ...(toMs > fromMs && { window: { fromMs, widthMs: toMs - fromMs } }), open };
};
