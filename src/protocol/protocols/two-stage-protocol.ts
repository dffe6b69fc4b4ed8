import type { DoneReason, TurnEvent } from '../../contracts/wire/turn-event.ts';
import { askAtLimit } from '../inputs/ask-at-limit.ts';
import { authorizeCommit } from '../inputs/authorize-commit.ts';
import { runActionPhase } from '../turn/model-call.ts';
import { MORE_TOOLS_MESSAGE } from '../turn/notices.ts';
import type { ProtocolPorts } from './protocol-strategy.ts';
import { firstLimit, TWO_STAGE_RULES } from '../turn/stop-policy.ts';
import { applySteers, hasPendingSteers } from '../turn/apply-steers.ts';
import { runTwoStageToolPhase } from './two-stage-tool-phase.ts';
import type { Turn } from '../turn/turn.ts';
import { TurnProtocol } from './turn-protocol.ts';
import { endAtLimit, continuationAfter } from '../turn/turn-end.ts';
import { runBegunSessions } from '../turn/write-session-run.ts';

/**
 * The protocol in which action and tool phases alternate: one model call, then at most one tool (docs/protocol.md
 * "Two-stage (A/B) cycle").
 */
export class TwoStageProtocol extends TurnProtocol {
  constructor(ports: ProtocolPorts) {
    super(ports, runTwoStage);
  }

  // With a hyphen, unlike the `two_stage` of requests: hosts that embed the core know the protocol by this name.
  override getName(): string {
    return 'two-stage';
  }
}

/**
 * Runs the steps of a two-stage turn, and returns why the turn would end now. Tests and comments name the invariants I1
 * to I10, which are in docs/protocol.md "Invariants". All except I2 and the formula of I5 hold for every protocol.
 */
export const runTwoStage = async function* (turn: Turn): AsyncGenerator<TurnEvent, DoneReason, undefined> {
  for (;;) {
    if (turn.isCancelled) return 'cancelled';
    yield* applySteers(turn);
    const limit = firstLimit(TWO_STAGE_RULES, turn.meter.stopFacts);
    if (limit) {
      if ((yield* askAtLimit(turn, limit, TWO_STAGE_RULES)) || hasPendingSteers(turn)) continue;
      return yield* endAtLimit(turn, limit);
    }
    addBudgetHint(turn);
    const answer = yield* runActionPhase(turn, { stopAt: 'first-complete-call', tools: true });
    const next = continuationAfter(turn, answer);
    if (next.kind === 'turn_ended') return next.reason;
    if (next.kind === 'calls') yield* runTwoStageToolPhase(turn, answer);
    yield* runBegunSessions(turn, authorizeCommit);
  }
};

/**
 * This advice must not sound like the notices of limits and refusals (src/protocol/turn/notices.ts): the model would
 * then stop calling tools, although it may still call all of them.
 */
const LAST_CYCLE =
  'One tool execution is left in this turn. Spend it on what matters most, or answer with what you have.';

/**
 * Tells the model when a single cycle is left, once and once more after each grant, only in act mode
 * (docs/decisions/last-execution-is-announced.md). A model that always knows its budget spends it. A model that never
 * knows it is cut in the middle of its work.
 */
export const addBudgetHint = (turn: Turn): void => {
  const { context, messages } = turn;
  const { budgets, counters } = turn.meter;
  if (context.mode !== 'act' || budgets.maxPhaseCycles - counters.cycles !== 1) return;
  // The messages show whether the model was told. A flag would not, because messages may be removed again, as those of
  // a write session are.
  const since = messages.findLastIndex(
    ({ role, content }) => role === 'user' || (role === 'system' && content === MORE_TOOLS_MESSAGE),
  );
  const isAlreadyAdded = messages
    .slice(since + 1)
    .some(({ role, content }) => role === 'system' && content === LAST_CYCLE);
  if (!isAlreadyAdded) turn.addMessage({ role: 'system', content: LAST_CYCLE });
};
