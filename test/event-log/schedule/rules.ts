/** One rule of the event list, and what happens to a turn without it. */
interface RuleText {
  readonly rule: string;
  /** The invariant that a schedule breaks without the rule; `schedules-rules.test.ts` looks for exactly this one. */
  readonly breaks: string;
  /** What a reader would see. */
  readonly seen: string;
}

/**
 * The rules of docs/events.md, which is generated from this table. The model can leave out each of them. Without a
 * rule, the explorer must find a violation; otherwise it would prove nothing about that rule.
 */
export const RULES = {
  seqOverWholeTurn: {
    rule: 'seq counts on over the whole turn instead of restarting in every step',
    breaks: 'every viewer holds the stored sequence after resets',
    seen: 'A `reset { fromSeq }` of the second step names seqs that the first step also has, and a reader forgets the wrong text.',
  },
  epochPerAttempt: {
    rule: 'every attempt writes under an epoch of its own',
    breaks: 'same id, same bytes',
    seen: 'A dead attempt and its successor give the same id to different words. A reader that resumes from that id gets half of each.',
  },
  epochOfWorkflow: {
    rule: 'the workflow’s own events have epochs that no attempt uses',
    breaks: 'the stored list is one that accept takes',
    seen: 'A late attempt of a step writes where the workflow has already continued.',
  },
  scheduledTimeClaims: {
    rule: 'an attempt stops if one that was scheduled later has claimed its step',
    breaks: 'the stored list is one that accept takes',
    seen: 'A zombie attempt wakes up, claims a later epoch than its successor, and its stale text wins.',
  },
  claimsCounted: {
    rule: 'epochs are counted in Postgres, not derived from attempt numbers, which can go back',
    breaks: 'same id, same bytes',
    seen: 'An activity that is reset by hand starts again at attempt 1 and reuses an epoch.',
  },
  afterNamed: {
    rule: 'the first event of an epoch names the event that it follows',
    breaks: 'every viewer holds the stored sequence after resets',
    seen: 'A reader that missed the end of one epoch does not notice, and shows a text with a gap.',
  },
  afterShared: {
    rule: 'all attempts of a step name the same event',
    breaks: 'the stored list is one that accept takes',
    seen: 'The second attempt follows what the first one said, and is withdrawn together with it.',
  },
  resetOnRetry: {
    rule: 'a later attempt begins with a reset',
    breaks: 'a gateway that asks gets as far as the workflow',
    seen: 'The dead attempt’s words stay in front of the new ones.',
  },
  resetStored: {
    rule: 'resets are stored events, not signs on the lane',
    breaks: 'a gateway that asks gets as far as the workflow',
    seen: 'A reader that opens the log later never learns what was withdrawn.',
  },
  resetAfterLoss: {
    rule: 'after a step without a result, the workflow writes a reset',
    breaks: 'the stored list is one that accept takes',
    seen: 'Words that only the lane carried stay with some readers and are missing at others.',
  },
  copyAfterLoss: {
    rule: 'after such a step, the workflow writes the events it holds of it again, under its own epoch',
    breaks: 'what the surviving attempts said is complete',
    seen: 'Words that everybody has read are missing from the stored answer.',
  },
  repeatsIgnored: {
    rule: 'accept ignores ids up to the last one',
    breaks: 'the stored list is one that accept takes',
    seen: 'A signal that is delivered twice doubles its words.',
  },
  gapsAsked: {
    rule: 'accept allows no gap within an epoch',
    breaks: 'every viewer holds the stored sequence after resets',
    seen: 'When a batch is lost, a sentence is lost.',
  },
  withdrawnLeave: {
    rule: 'a reset removes from the list what it withdraws',
    breaks: 'what the surviving attempts said is complete',
    seen: 'The list contains both attempts.',
  },
  oneFlight: {
    rule: 'one batch is in flight, and the next waits for its acknowledgement',
    breaks: 'the stored list is one that accept takes',
    seen: 'Two batches overtake each other, and the earlier one is dropped as outdated.',
  },
  tailInResult: {
    rule: 'events without acknowledgement travel in the activity result',
    breaks: 'the stored list is one that accept takes',
    seen: 'The last signal of a step is lost together with the worker that sent it.',
  },
  oneRun: {
    rule: 'only one run may act',
    breaks: 'same id, same bytes',
    seen: 'After a reset in the Web UI, activities of the old run go on writing beside those of the new one.',
  },
  segmentFirst: {
    rule: 'callModel stores its segment before it returns',
    breaks: 'the stored list is one that accept takes',
    seen: 'The workflow continues from a step that Postgres has never seen.',
  },
  ownEventsStored: {
    rule: 'closeTurn stores the workflow’s own events',
    breaks: 'the stored list is one that accept takes',
    seen: 'Phases and notices are gone as soon as the turn has ended.',
  },
  allSegments: {
    rule: 'readers pass all segments through accept, not only the newest of each step',
    breaks: 'what the surviving attempts said is complete',
    seen: 'The newest attempt is not always the one that counted.',
  },
  terminalHidden: {
    rule: 'eventsSince never returns a terminal event',
    breaks: 'every viewer holds the stored sequence after resets',
    seen: 'A reader sees an end, but another process closes the turn first, with a different end.',
  },
  terminalAfterCommit: {
    rule: 'the terminal event goes onto the lane only after the commit',
    breaks: 'every viewer holds the stored sequence after resets',
    seen: '`done` is shown, the process dies, and the turn ends differently.',
  },
  firstCloseWins: {
    rule: 'the first close wins',
    breaks: 'every viewer holds the stored sequence after resets',
    seen: 'The workflow closes a turn again that was already closed from outside.',
  },
  outsideEpoch: {
    rule: 'an outside close writes under an epoch of its own',
    breaks: 'exactly one terminal event',
    seen: 'Its terminal event has an id that the workflow uses for another event.',
  },
  outsideReset: {
    rule: 'an outside close begins with a reset of everything',
    breaks: 'the stored list is one that accept takes',
    seen: 'The events that readers hold do not fit those that the closing process could save.',
  },
} as const satisfies Readonly<Record<string, RuleText>>;

export type Rule = keyof typeof RULES;
export type Rules = Readonly<Record<Rule, boolean>>;

export const RULE_NAMES = Object.keys(RULES) as Rule[];

/** Returns all rules except the named ones. */
export const rulesWithout = (...left: readonly Rule[]): Rules =>
  Object.fromEntries(RULE_NAMES.map((rule) => [rule, !left.includes(rule)])) as Rules;
