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
    rule: 'seq goes on over the whole turn instead of beginning anew in every step',
    breaks: 'every viewer holds the stored sequence after resets',
    seen: 'A `reset { fromSeq }` of the second step would name seqs that the first step has, too: one reader forgets the wrong text.',
  },
  epochPerAttempt: {
    rule: 'every attempt writes under an epoch of its own',
    breaks: 'same id, same bytes',
    seen: 'A dead attempt and the one that replaces it give the same id to other words; who resumes from it gets half of each.',
  },
  epochOfWorkflow: {
    rule: 'the workflow’s own events have epochs that no attempt uses',
    breaks: 'the stored list is one that accept takes',
    seen: 'A late attempt of a step writes where the workflow has gone on.',
  },
  scheduledTimeClaims: {
    rule: 'an attempt scheduled before one that has claimed its step stops',
    breaks: 'the stored list is one that accept takes',
    seen: 'A zombie that wakes up claims a later epoch than its successor, and its stale text wins.',
  },
  claimsCounted: {
    rule: 'epochs are counted in Postgres, not taken from attempt numbers, which can go back',
    breaks: 'same id, same bytes',
    seen: 'An activity that is reset by hand begins again at attempt 1.',
  },
  afterNamed: {
    rule: 'the first event of an epoch names the event it follows',
    breaks: 'every viewer holds the stored sequence after resets',
    seen: 'A reader that missed the end of one epoch cannot tell, and shows a gap as if it were the text.',
  },
  afterShared: {
    rule: 'all attempts of a step name the same event',
    breaks: 'the stored list is one that accept takes',
    seen: 'Of two attempts the second hangs on what the first said, and falls with it.',
  },
  resetOnRetry: {
    rule: 'a later attempt begins with a reset',
    breaks: 'a gateway that asks gets as far as the workflow',
    seen: 'The dead attempt’s words stay in front of the new ones.',
  },
  resetStored: {
    rule: 'resets are stored events, not signs on the lane',
    breaks: 'a gateway that asks gets as far as the workflow',
    seen: 'Who reads the log later never learns what was withdrawn.',
  },
  resetAfterLoss: {
    rule: 'after a step without a result the workflow writes a reset',
    breaks: 'the stored list is one that accept takes',
    seen: 'Words that only the lane brought stay with some readers and not with others.',
  },
  copyAfterLoss: {
    rule: 'after such a step the workflow writes again, under its own epoch, what it holds of it',
    breaks: 'what the surviving attempts said is complete',
    seen: 'Words that everybody has read are gone from the stored answer.',
  },
  repeatsIgnored: {
    rule: 'accept ignores ids up to the last',
    breaks: 'the stored list is one that accept takes',
    seen: 'A signal that is delivered twice doubles its words.',
  },
  gapsAsked: {
    rule: 'accept lets no gap into an epoch',
    breaks: 'every viewer holds the stored sequence after resets',
    seen: 'A lost batch is a lost sentence.',
  },
  withdrawnLeave: {
    rule: 'a reset takes what it withdraws out of the list',
    breaks: 'what the surviving attempts said is complete',
    seen: 'The list holds both attempts.',
  },
  oneFlight: {
    rule: 'one flush in flight, the next only after its acknowledgement',
    breaks: 'the stored list is one that accept takes',
    seen: 'Two batches overtake each other, and the first is dropped as outdated.',
  },
  tailInResult: {
    rule: 'what is not acknowledged travels in the activity result',
    breaks: 'the stored list is one that accept takes',
    seen: 'The last signal of a step is lost with the worker that sent it.',
  },
  oneRun: {
    rule: 'only one run may act',
    breaks: 'same id, same bytes',
    seen: 'After a reset in the Web UI the old run’s activities go on writing beside the new one’s.',
  },
  segmentFirst: {
    rule: 'callModel stores its segment before it returns',
    breaks: 'the stored list is one that accept takes',
    seen: 'The workflow goes on from a step that Postgres has never seen.',
  },
  ownEventsStored: {
    rule: 'closeTurn stores the workflow’s own events',
    breaks: 'the stored list is one that accept takes',
    seen: 'Phases and notices are gone as soon as the turn has ended.',
  },
  allSegments: {
    rule: 'readers take all segments through accept, not the newest of each step',
    breaks: 'what the surviving attempts said is complete',
    seen: 'The newest attempt is not always the one that counted.',
  },
  terminalHidden: {
    rule: 'a terminal event is never answered by eventsSince',
    breaks: 'every viewer holds the stored sequence after resets',
    seen: 'A reader sees an end that the close then loses to another closer.',
  },
  terminalAfterCommit: {
    rule: 'the terminal event goes on the lane only after the commit',
    breaks: 'every viewer holds the stored sequence after resets',
    seen: '`done` is shown, the process dies, and the turn ends otherwise.',
  },
  firstCloseWins: {
    rule: 'the first close wins',
    breaks: 'every viewer holds the stored sequence after resets',
    seen: 'A turn that was closed from outside is closed again by its workflow.',
  },
  outsideEpoch: {
    rule: 'an outside close writes under an epoch of its own',
    breaks: 'exactly one terminal event',
    seen: 'Its end has an id that the workflow uses for another event.',
  },
  outsideReset: {
    rule: 'an outside close begins with a reset of everything',
    breaks: 'the stored list is one that accept takes',
    seen: 'What readers hold and what the closer could save do not fit together.',
  },
} as const satisfies Readonly<Record<string, RuleText>>;

export type Rule = keyof typeof RULES;
export type Rules = Readonly<Record<Rule, boolean>>;

export const RULE_NAMES = Object.keys(RULES) as Rule[];

/** Returns all rules except the named ones. */
export const rulesWithout = (...left: readonly Rule[]): Rules =>
  Object.fromEntries(RULE_NAMES.map((rule) => [rule, !left.includes(rule)])) as Rules;
