import type { DoneReason, TurnEvent } from '../../contracts/wire/turn-event.ts';
import { callModel } from './model-call.ts';
import type { ProtocolPorts } from './protocol-strategy.ts';
import { firstLimit, TWO_STAGE_RULES } from './stop-policy.ts';
import { toolPhase } from './tool-phase.ts';
import type { Turn } from './turn.ts';
import { TurnProtocol } from './turn-protocol.ts';
import { endAtLimit, afterAnswer } from './turn-end.ts';
import { writeBegunFiles } from '../calls/write-session-run.ts';

/*
 * Invariants (docs/protocol.md). Tests name them by number; all but I2 hold for every protocol.
 *
 * I1  Exactly one terminal event (`done` or `error`), and it is the last.
 * I2  At most one execution per tool phase, at most maxPhaseCycles per turn, and a signature again only as the
 *     duplicate rule allows.
 * I3  Phase indexes rise by one from 0.
 * I4  `fullContent` is the concatenation of the chunks that are no notices, for every adapter whose `done` is silent
 *     about its text or agrees with its chunks. All of ours do; one that contradicts itself has the last word with its
 *     `done`, and a trace says so.
 * I5  Every path ends: each model call but the last two raises a counter that has a limit, so with C cycles,
 *     D duplicate attempts, M malformed calls and R refusals there are at most
 *     max(1, C + D + ⌊C / 5⌋ + M + R − 2) model calls. A write session that was begun (a cycle, so at most C of
 *     them) takes at most W = 1 + 3 + 10 + 2 more for its content, first text, idle prompts, continuations and
 *     refused contents: max(1, …) + C · W in all.
 * I6  Only ports suspend: nothing else is awaited, no clock, no randomness, no timer.
 * I7  Counters never decrease.
 */

/** The steps of a two-stage turn. */
export async function* alternate(turn: Turn): AsyncGenerator<TurnEvent, DoneReason, undefined> {
  for (;;) {
    if (turn.cancelled) return 'cancelled';
    const limit = firstLimit(TWO_STAGE_RULES, turn.stopView);
    if (limit) return yield* endAtLimit(turn, limit);
    hintBudget(turn);
    const answer = yield* callModel(turn, { stopAt: 'first-complete-call', tools: true });
    const next = afterAnswer(turn, answer);
    if (next.kind === 'over') return next.reason;
    if (next.kind === 'calls') yield* toolPhase(turn, answer);
    yield* writeBegunFiles(turn);
  }
}

/** Action and tool phases alternate: one model call, at most one tool (docs/protocol.md "Two-stage (A/B) cycle"). */
export class TwoStageProtocol extends TurnProtocol {
  constructor(ports: ProtocolPorts) {
    super(ports, alternate);
  }

  override getName(): string {
    return 'two-stage';
  }
}

/** Must hold no phrase of a limit or refusal (notices.ts): this is advice, every tool may still be called. */
const LAST_CYCLE =
  'One tool execution is left in this turn. Spend it on what matters most, or answer with what you have.';

/**
 * Tells the model once that a single cycle is left, in act mode only (docs/storage.md "Context"): a model that is told
 * its budget all the time spends it, one that is told nothing is cut in the middle of its work.
 */
export const hintBudget = ({ context, budgets, counters, messages }: Turn): void => {
  if (context.mode !== 'act' || budgets.maxPhaseCycles - counters.cycles !== 1) return;
  const isTold = messages.some(({ role, content }) => role === 'system' && content === LAST_CYCLE);
  if (!isTold) messages.push({ role: 'system', content: LAST_CYCLE });
};
