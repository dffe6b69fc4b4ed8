/**
 * The rules marked ● in turns.md "Events and ids" that concern the event list, each of which the model can leave
 * out. One left out must show as a violation; otherwise the explorer would prove nothing about that rule.
 */
export const RULES = {
  seqOverWholeTurn: 'seq goes on over the whole turn instead of beginning anew in every step',
  epochPerAttempt: 'every attempt writes under an epoch of its own',
  epochOfWorkflow: 'the workflow’s own events have epochs that no attempt uses',
  scheduledTimeClaims: 'an attempt scheduled before one that has claimed its step stops',
  claimsCounted: 'epochs are counted in Postgres, not taken from attempt numbers, which can go back',
  afterNamed: 'the first event of an epoch names the event it follows',
  afterShared: 'all attempts of a step name the same event',
  resetOnRetry: 'a later attempt begins with a reset',
  resetStored: 'resets are stored events, not signs on the lane',
  resetAfterLoss: 'after a step without a result the workflow writes a reset',
  copyAfterLoss: 'and what it holds of the step again under its own epoch',
  repeatsIgnored: 'accept ignores ids up to the last',
  gapsAsked: 'accept lets no gap into an epoch',
  withdrawnLeave: 'a reset takes what it withdraws out of the list',
  oneFlight: 'one flush in flight, the next only after its acknowledgement',
  tailInResult: 'what is not acknowledged travels in the activity result',
  oneRun: 'only one run may act',
  segmentFirst: 'callModel stores its segment before it returns',
  ownEventsStored: 'closeTurn stores the workflow’s own events',
  allSegments: 'readers take all segments through accept, not the newest of each step',
  terminalHidden: 'a terminal event is never answered by eventsSince',
  terminalAfterCommit: 'the terminal event goes on the lane only after the commit',
  firstCloseWins: 'the first close wins',
  outsideEpoch: 'an outside close writes under an epoch of its own',
  outsideReset: 'an outside close begins with a reset of everything',
} as const;

export type Rule = keyof typeof RULES;
export type Rules = Readonly<Record<Rule, boolean>>;

export const RULE_NAMES = Object.keys(RULES) as Rule[];

/** All rules but the named ones. */
export function rulesWithout(...left: readonly Rule[]): Rules {
  return Object.fromEntries(RULE_NAMES.map((rule) => [rule, !left.includes(rule)])) as Rules;
}
