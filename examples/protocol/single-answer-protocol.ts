/**
 * A protocol of one's own: one model call without tools, for titles and summaries (docs/protocol.md "Choice of
 * protocol"). A protocol is a generator over a turn: it yields what readers see, and what it returns is why the turn
 * ended. The terminal event, traces, cancelling and failures are those of every turn, and cost no line here.
 *
 * It runs inside the workflow: no clock, no randomness, no I/O; it awaits nothing but ports, which `callModel` does.
 *
 * register.diff beside it moves the file to src/protocol/protocols and adds the lines by which Orion knows of it;
 * CONTRIBUTING.md "A protocol" says what else belongs to one that stays.
 */
import type { DoneReason, TurnEvent } from '../../src/contracts/wire/turn-event.ts';
import { callModel } from '../../src/protocol/turn/model-call.ts';
import type { ProtocolPorts } from '../../src/protocol/protocols/protocol-strategy.ts';
import { firstLimit, STANDARD_RULES } from '../../src/protocol/turn/stop-policy.ts';
import { endAtLimit, afterAnswer } from '../../src/protocol/turn/turn-end.ts';
import { TurnProtocol } from '../../src/protocol/protocols/turn-protocol.ts';
import type { Turn } from '../../src/protocol/turn/turn.ts';

const answerOnce = async function* (turn: Turn): AsyncGenerator<TurnEvent, DoneReason, undefined> {
  if (turn.cancelled) return 'cancelled';
  const answer = yield* callModel(turn, { stopAt: 'end', tools: false });
  const next = afterAnswer(turn, answer);
  if (next.kind === 'over') return next.reason;
  // Cut by the turn's time or tokens, or for saying the same over and over: readers are told, and that is the end.
  const limit = firstLimit(STANDARD_RULES, turn.stopView);
  return limit ? yield* endAtLimit(turn, { ...limit, forcesAnswer: false }) : 'answered';
};

/** One model call, no tools. */
export class SingleAnswerProtocol extends TurnProtocol {
  constructor(ports: ProtocolPorts) {
    super(ports, answerOnce);
  }

  override getName(): string {
    return 'single-answer';
  }
}
