import type {
  CommitApproval,
  SessionHold,
  FinalizeOutcome,
  CommitOutcome,
} from '../contracts/write-session/session-messages.ts';
import type {
  ContentRef,
  SessionEnd,
  SessionStage,
  SessionStatus,
} from '../contracts/write-session/write-session.ts';

/** A finalize that waits for its outcome. */
interface Ticket {
  readonly number: number;
  /** The content to commit. Undefined means the draft file, whose hash only the commit finds out. */
  readonly content: ContentRef | undefined;
  /** True when the finalize named its content, so that the commit of another content is not its outcome. */
  readonly isNamed: boolean;
  readonly approval?: CommitApproval | undefined;
}

/**
 * The state of a write session (docs/write-sessions.md). Its stage alternates between `awaiting_content` and
 * `committing` until the session ends as `committed`, `cancelled` or `expired`. Times are milliseconds since 1970.
 */
export interface SessionState {
  readonly stage: SessionStage;
  readonly createdAt: number;
  readonly lastActivity: number;
  readonly timeoutMs: number;
  /** The content that a finalize without content commits. Null means the draft file. */
  readonly draft: ContentRef | null;
  /**
   * Set when a person is asked about the commit, until the next finalize. Silence before `held.until` does not count.
   */
  readonly held: SessionHold | null;
  /** Finalizes that wait, oldest first; while `committing`, the first one's content is being committed. */
  readonly tickets: readonly Ticket[];
  /**
   * The end that is to be written into the row. Null until an end is decided, and again once the row has an end, which
   * then counts.
   */
  readonly closing: SessionEnd | null;
  /** The content with which the session ended. Null unless it was committed. */
  readonly committed: ContentRef | null;
  /** Outcomes of finalizes, by ticket number. */
  readonly outcomes: Readonly<Record<number, FinalizeOutcome>>;
}

/** Something that happens to a session; `at` in milliseconds since 1970. */
export type SessionEvent =
  /** A finalize. Its outcome will be in `outcomes` under the number `ticket`, which no other finalize has. */
  | {
      readonly type: 'finalize';
      readonly at: number;
      readonly ticket: number;
      readonly content?: ContentRef | undefined;
      readonly approval?: CommitApproval | undefined;
    }
  /** The commit waits for the reply of a person (`held`). */
  | { readonly type: 'hold'; readonly hold: SessionHold }
  /** Something was done, so the session expires later. `draft` replaces the draft. */
  | { readonly type: 'touch'; readonly at: number; readonly draft?: ContentRef | undefined }
  | { readonly type: 'cancel' }
  /** The inactivity timer has fired; the time may have been extended since it was set. */
  | { readonly type: 'timer'; readonly at: number }
  /** The commit has an outcome. */
  | { readonly type: 'commit_ended'; readonly at: number; readonly outcome: CommitOutcome }
  /** The commit has no outcome: it was cancelled, the run may not write, or its attempts were given up. */
  | { readonly type: 'commit_lost' }
  /** The row has this end, whoever wrote it. */
  | { readonly type: 'closed'; readonly end: SessionEnd; readonly content?: ContentRef | undefined };

/** The next step of the workflow. `wait` means that it waits for an event. */
export type SessionStep =
  | { readonly kind: 'wait' }
  | {
      readonly kind: 'commit';
      readonly content: ContentRef | undefined;
      readonly approval: CommitApproval | undefined;
    }
  | { readonly kind: 'close'; readonly end: SessionEnd }
  | { readonly kind: 'ended'; readonly end: SessionEnd };

/**
 * Returns a session that waits for its content. `createdAt` is in milliseconds since 1970. After `timeoutMs`
 * milliseconds of silence the session expires.
 */
export const newSession = (createdAt: number, timeoutMs: number): SessionState => ({
  stage: 'awaiting_content',
  createdAt,
  lastActivity: createdAt,
  timeoutMs,
  draft: null,
  held: null,
  tickets: [],
  closing: null,
  committed: null,
  outcomes: {},
});

/** Decides the next step of the workflow. It follows only from the state, so that a replay does the same. */
export const nextStep = (state: SessionState): SessionStep => {
  const { stage, closing, tickets } = state;
  if (isEnd(stage)) return { kind: 'ended', end: stage };
  if (closing !== null) return { kind: 'close', end: closing };
  if (stage !== 'committing') return { kind: 'wait' };
  const [first] = tickets;
  return { kind: 'commit', content: first?.content, approval: first?.approval };
};

/**
 * Returns the state after `event`. Events that come too late change nothing, except that a finalize is answered: at
 * once if the session has ended, otherwise at its end.
 */
export const applyEvent = (state: SessionState, event: SessionEvent): SessionState => {
  switch (event.type) {
    case 'finalize':
      return finalize(state, event);
    case 'hold':
      return isSettled(state) ? state : { ...state, held: event.hold };
    case 'touch':
      return isSettled(state)
        ? state
        : { ...state, lastActivity: event.at, draft: event.draft ?? state.draft };
    case 'cancel':
      return close(state, 'cancelled');
    case 'timer':
      return state.stage === 'awaiting_content' && msToExpiry(state, event.at) <= 0
        ? close(state, 'expired')
        : state;
    case 'commit_ended':
      return endCommit(state, event.outcome, event.at);
    case 'commit_lost':
      return state.stage === 'committing' ? close(state, 'cancelled') : state;
    case 'closed':
      return ended(state, event.end, event.content);
    default:
      return event satisfies never;
  }
};

/**
 * Returns the milliseconds until silence ends the session, 0 or less if it is too long already. During a commit this is
 * the whole timeout, since a commit does not count as silence.
 */
export const msToExpiry = (state: SessionState, now: number): number =>
  state.stage === 'committing' ? state.timeoutMs : expiryOf(state) - now;

/** Returns when silence ends the session. The time during which somebody is asked does not count as silence. */
const expiryOf = ({ lastActivity, held, timeoutMs }: SessionState): number =>
  Math.max(lastActivity, held?.until ?? 0) + timeoutMs;

/** Returns the state in the words of the status route and of the Web UI. */
export const statusOf = (state: SessionState): SessionStatus => ({
  stage: state.stage,
  createdAt: state.createdAt,
  lastActivity: state.lastActivity,
  expiresAt: expiryOf(state),
  draft: state.draft,
});

const isEnd = (stage: SessionStage): stage is SessionEnd =>
  stage !== 'awaiting_content' && stage !== 'committing';

/** Reports whether a session's end is decided, even if its row does not say so yet. */
export const isSettled = ({ stage, closing }: SessionState): boolean => closing !== null || isEnd(stage);

const close = (state: SessionState, end: SessionEnd): SessionState =>
  isSettled(state) ? state : { ...state, closing: end };

const finalize = (
  state: SessionState,
  { at, ticket, content, approval }: Extract<SessionEvent, { type: 'finalize' }>,
): SessionState => {
  const added: Ticket = {
    number: ticket,
    content: content ?? state.draft ?? undefined,
    isNamed: content !== undefined,
    approval,
  };
  if (isEnd(state.stage)) return settleTickets(state, [added], (each) => lateOutcome(state, each));
  const tickets = [...state.tickets, added];
  if (state.closing !== null) return { ...state, tickets };
  return { ...state, stage: 'committing', lastActivity: at, held: null, tickets };
};

const endCommit = (state: SessionState, outcome: CommitOutcome, at: number): SessionState => {
  if (state.stage !== 'committing') return state;
  if (outcome.kind === 'committed') return { ...state, closing: 'committed', committed: outcome.content };
  const sha256 = state.tickets[0]?.content?.sha256;
  // The outcome answers every finalize of the same content, not only the first.
  const joined = state.tickets.filter(({ content }) => content?.sha256 === sha256);
  const tickets = state.tickets.filter((ticket) => !joined.includes(ticket));
  const stage = tickets.length > 0 ? 'committing' : 'awaiting_content';
  return settleTickets({ ...state, stage, lastActivity: at, tickets }, joined, () => outcome);
};

const ended = (state: SessionState, end: SessionEnd, content: ContentRef | undefined): SessionState => {
  if (isEnd(state.stage)) return state;
  const committed = end === 'committed' ? (content ?? state.committed) : null;
  const last: SessionState = { ...state, stage: end, closing: null, committed, tickets: [] };
  return settleTickets(last, state.tickets, (ticket) => lateOutcome(last, ticket));
};

/**
 * Returns the outcome of a finalize that still waits when the session ends, or comes later. If the session was
 * committed, a finalize of the same content, or one that named none, gets `committed`. Any other is too late.
 */
const lateOutcome = ({ stage, committed }: SessionState, { content, isNamed }: Ticket): FinalizeOutcome =>
  committed !== null && (!isNamed || content?.sha256 === committed.sha256)
    ? { kind: 'committed', content: committed }
    : { kind: 'ended', stage };

const settleTickets = (
  state: SessionState,
  tickets: readonly Ticket[],
  outcomeOf: (ticket: Ticket) => FinalizeOutcome,
): SessionState => ({
  ...state,
  outcomes: {
    ...state.outcomes,
    ...Object.fromEntries(tickets.map((ticket) => [ticket.number, outcomeOf(ticket)])),
  },
});
