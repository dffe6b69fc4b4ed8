import type { DoneReason, TurnEvent } from '../../contracts/wire/turn-event.ts';
import { askAtLimit } from '../inputs/ask-at-limit.ts';
import { clearCommit } from '../inputs/clear-commit.ts';
import { callModel } from '../turn/model-call.ts';
import { GO_ON } from '../turn/notices.ts';
import type { ProtocolPorts } from './protocol-strategy.ts';
import { firstLimit, TWO_STAGE_RULES } from '../turn/stop-policy.ts';
import { applySteers, isSteered } from '../turn/apply-steers.ts';
import { toolPhase } from './tool-phase.ts';
import type { Turn } from '../turn/turn.ts';
import { TurnProtocol } from './turn-protocol.ts';
import { endAtLimit, afterAnswer } from '../turn/turn-end.ts';
import { runBegunSessions } from '../turn/write-session-run.ts';

/*
 * Invariants (docs/protocol.md). Tests name them by number; all but I2 hold for every protocol.
 *
 * I1  Exactly one terminal event (`done` or `error`), and it is the last.
 * I2  At most one execution per tool phase, at most maxPhaseCycles per turn and as many again for each grant, within
 *     maxPhaseCyclesLimit, and a signature again only as the duplicate rule allows.
 * I3  Phase indexes rise by one from 0.
 * I4  `fullContent` is the concatenation of the chunks that are no notices, for every adapter whose `done` is silent
 *     about its text or agrees with its chunks. All of ours do; one that contradicts itself has the last word with its
 *     `done`, and a trace says so.
 * I5  Every path ends: each model call but the last two raises a counter that has a limit, so with C cycles,
 *     D duplicate attempts, M malformed calls and R refusals there are at most
 *     max(1, C + D + ⌊C / 5⌋ + M + R − 2) model calls. A write session that was begun (a cycle, so at most C of
 *     them) takes at most W = 1 + 3 + 10 + 2 more for its content, first text, idle prompts, continuations and
 *     refused contents: max(1, …) + C · W in all. Each grant begins the count anew; requests are bounded by their port.
 * I6  Only ports suspend: nothing else is awaited, no clock, no randomness, no timer.
 * I7  Counters never decrease, nor does what a turn may spend.
 * I8  No call runs that the policy denies; none that it asks about without a reply that allows it, of this call or, by
 *     `allow_turn`, of its tool; an allowed or edited call runs once.
 * I9  Requests are numbered 1, 2, …; each `input_requested` is followed by its own `input_resolved`, or by the end.
 * I10 The time that a turn waits is not its time.
 */

/** The steps of a two-stage turn, from its first action phase to the reason it ends for (docs/protocol.md). */
export const runTwoStage = async function* (turn: Turn): AsyncGenerator<TurnEvent, DoneReason, undefined> {
  for (;;) {
    if (turn.cancelled) return 'cancelled';
    yield* applySteers(turn);
    const limit = firstLimit(TWO_STAGE_RULES, turn.stopView);
    if (limit) {
      if ((yield* askAtLimit(turn, limit, TWO_STAGE_RULES)) || isSteered(turn)) continue;
      return yield* endAtLimit(turn, limit);
    }
    addBudgetHint(turn);
    const answer = yield* callModel(turn, { stopAt: 'first-complete-call', tools: true });
    const next = afterAnswer(turn, answer);
    if (next.kind === 'over') return next.reason;
    if (next.kind === 'calls') yield* toolPhase(turn, answer);
    yield* runBegunSessions(turn, clearCommit);
  }
};

/** Action and tool phases alternate: one model call, at most one tool (docs/protocol.md "Two-stage (A/B) cycle"). */
export class TwoStageProtocol extends TurnProtocol {
  constructor(ports: ProtocolPorts) {
    super(ports, runTwoStage);
  }

  override getName(): string {
    return 'two-stage';
  }
}

/** Must hold no phrase of a limit or refusal (notices.ts): this is advice, every tool may still be called. */
const LAST_CYCLE =
  'One tool execution is left in this turn. Spend it on what matters most, or answer with what you have.';

/**
 * Tells the model once, and once more after a grant, that a single cycle is left, in act mode only
 * (docs/decisions/last-execution-is-announced.md): a model that is told its budget all the time spends it, one that is
 * told nothing is cut in the middle of its work.
 */
export const addBudgetHint = ({ context, budgets, counters, messages }: Turn): void => {
  if (context.mode !== 'act' || budgets.maxPhaseCycles - counters.cycles !== 1) return;
  const since = messages.findLastIndex(
    ({ role, content }) => role === 'user' || (role === 'system' && content === GO_ON),
  );
  const isTold = messages
    .slice(since + 1)
    .some(({ role, content }) => role === 'system' && content === LAST_CYCLE);
  if (!isTold) messages.push({ role: 'system', content: LAST_CYCLE });
};
