import type { DoneReason, TurnEvent } from '../../contracts/wire/turn-event.ts';
import { DUPLICATE_NOTICE, MORE_TOOLS_MESSAGE } from '../turn/notices.ts';
import { firstLimit, type TurnLimit, type StopRule } from '../turn/stop-policy.ts';
import type { Turn } from '../turn/turn.ts';
import type { TurnMeter } from '../turn/turn-meter.ts';
import { requestInput } from './request-input.ts';

/** What a request says about the limit. Limits without a sentence are not asked about. */
const SENTENCES: Partial<Record<DoneReason, (meter: TurnMeter) => string>> = {
  cycles: ({ counters }) =>
    `${counters.cycles} ${counters.cycles === 1 ? 'tool has' : 'tools have'} run, as many as this turn may.`,
  time: ({ budgets }) => `The turn has worked for ${budgets.maxTurnMs / 1_000} s, as long as it may.`,
  duplicates: () => 'The model keeps asking for calls that have run already.',
  no_progress: () => 'Tool calls bring no new results.',
};

const GRANT = { addsTime: true };

/**
 * Asks a person, before an answer is forced, whether the turn shall continue. Asks only if the client shows such
 * requests, and if after a grant no limit of `rules` would be reached. Returns true if the turn must not end at the
 * limit for now: it got a grant, has a message to read, or was cancelled.
 */
export const askAtLimit = async function* (
  turn: Turn,
  limit: TurnLimit,
  rules: readonly StopRule[],
): AsyncGenerator<TurnEvent, boolean, undefined> {
  const { inputs } = turn.context;
  const sentence = SENTENCES[limit.reason];
  const isLifted = firstLimit(rules, turn.meter.stopFactsAfter(GRANT)) === undefined;
  if (!inputs || !sentence || !limit.forcesAnswer || !isLifted || !inputs.recordAskDecision('limit')) {
    return false;
  }
  const end = yield* requestInput(turn, inputs, {
    kind: 'limit',
    options: ['keep_going', 'answer_now'],
    default: 'answer_now',
    message: () => `${sentence(turn.meter)} Shall it go on?`,
  });
  if (end.kind === 'cancelled' || end.kind === 'interrupted') return true;
  if (end.kind !== 'resolved') return false;
  const { reply, by } = end.outcome.event;
  // The default counts because a message of the user came, which will be a grant itself once it is taken.
  if (by.kind === 'steer') return true;
  if (reply !== 'keep_going') return false;
  turn.meter.grant(GRANT);
  // The model got no notice of the refusal that reached the limit, since the limit's message would have mentioned it.
  if (limit.reason === 'duplicates') yield turn.addNotice(DUPLICATE_NOTICE);
  turn.addMessage({ role: 'system', content: MORE_TOOLS_MESSAGE });
  return true;
};
