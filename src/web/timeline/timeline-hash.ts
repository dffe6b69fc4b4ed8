/*
 * The part of the address after `#`, which names what is open in the timeline of a turn (docs/chat-page.md "What it
 * shows"). All functions here are pure.
 */
import type { TimeWindow } from './timeline-window.ts';

/** The state of one list of the spans of a turn: its zoom, and which spans are open. */
export interface SpanListState {
  /** The piece of time that the list is zoomed to. Absent means the whole time. */
  readonly window?: TimeWindow;
  /** Ids of the open spans. */
  readonly open: readonly string[];
}

/**
 * The lists of spans in a timeline: `steps` is that of the turn, and in a comparison `this` and `other` are those of
 * the two turns. Addresses contain these names.
 */
export type SpanList = (typeof LISTS)[number];
const LISTS = ['steps', 'this', 'other'] as const;

/** The state of a timeline: its turn, and what is shown of its lists of spans. */
export interface TimelineState {
  readonly turnId: string;
  /** The turn with which the turn is compared. Absent without a comparison. */
  readonly comparedTurnId?: string;
  /** The state of each list. Absent for a list that is shown without zoom and with nothing open. */
  readonly listStates: Readonly<Partial<Record<SpanList, SpanListState>>>;
}

/** Returns the state of one list of a timeline, and the function that changes it. */
export const spanListProps = (
  list: SpanList,
  timeline: TimelineState,
  onShow: (timeline: TimelineState) => void,
) => ({
  state: timeline.listStates[list] ?? NOTHING_OPEN,
  onChange: (state: SpanListState): void =>
    onShow({ ...timeline, listStates: { ...timeline.listStates, [list]: state } }),
});

/** The state of a list without zoom and with nothing open. */
const NOTHING_OPEN: SpanListState = { open: [] };

const PREFIX = '#did-';
const PARTS = ';';
/** Separates ids. No id of a turn, a trace event or an input request contains it (docs/http-api.md "Ids"). */
const ITEMS = ',';
const ID = /^[A-Za-z0-9_.:/-]{1,160}$/;
const WINDOW = /^~(\d{1,12})-(\d{1,12})$/;
/** Largest number of open spans that an address names for one list. It bounds the length of the address. */
const MAX_OPEN = 40;

/**
 * Returns the hash, with its `#`, that opens a timeline in this state again. Of the open spans of each list it names
 * those that were opened last, at most `MAX_OPEN`.
 */
export const timelineHash = ({ turnId, comparedTurnId, listStates }: TimelineState): string => {
  const turns = comparedTurnId === undefined ? turnId : turnId + ITEMS + comparedTurnId;
  const lists = LISTS.map((list) => {
    const { window, open } = listStates[list] ?? NOTHING_OPEN;
    const piece = window && `~${Math.round(window.fromMs)}-${Math.round(window.fromMs + window.widthMs)}`;
    const items = [...(piece === undefined ? [] : [piece]), ...open.slice(-MAX_OPEN)];
    return items.length === 0 ? '' : `${list}=${items.join(ITEMS)}`;
  });
  return PREFIX + [turns, ...lists].filter((part) => part !== '').join(PARTS);
};

/** Returns the timeline that a hash names, or undefined for any other hash. Parts that cannot be read are ignored. */
export const readTimelineHash = (hash: string): TimelineState | undefined => {
  if (!hash.startsWith(PREFIX)) return undefined;
  const [turns = '', ...lists] = hash.slice(PREFIX.length).split(PARTS);
  const [turnId = '', comparedTurnId = ''] = turns.split(ITEMS);
  if (!ID.test(turnId)) return undefined;
  const listStates = LISTS.flatMap((list): readonly (readonly [SpanList, SpanListState])[] => {
    const entry = lists.find((part) => part.startsWith(`${list}=`));
    return entry === undefined ? [] : [[list, listStateOf(entry.slice(list.length + 1).split(ITEMS))]];
  });
  return {
    turnId,
    ...(ID.test(comparedTurnId) && { comparedTurnId }),
    listStates: Object.fromEntries(listStates),
  };
};

const listStateOf = (items: readonly string[]): SpanListState => {
  const [, from, to] = WINDOW.exec(items[0] ?? '') ?? [];
  const [fromMs, toMs] = [Number(from), Number(to)];
  const open = [...new Set(items.filter((item) => ID.test(item)))].slice(-MAX_OPEN);
  return { ...(toMs > fromMs && { window: { fromMs, widthMs: toMs - fromMs } }), open };
};
