/**
 * A protocol of your own: one model call without tools, for titles and summaries (docs/protocol.md "Choice of
 * protocol"). A protocol is a generator over a turn: it yields what readers see, and returns why the turn ended. The
 * terminal event, traces and failures are those of every turn, and need no line here.
 *
 * It runs inside the workflow, without clock, randomness or I/O: it may await only ports, as `callModel` does.
 *
 * register.diff beside it moves the file to src/protocol/protocols and adds the lines that register it; CONTRIBUTING.md
 * "A protocol" lists what else a permanent protocol needs.
 */
import type { DoneReason, TurnEvent } from '../../src/contracts/wire/turn-event.ts';
import { runActionPhase } from '../../src/protocol/turn/model-call.ts';
import type { ProtocolPorts } from '../../src/protocol/protocols/protocol-strategy.ts';
import { firstLimit, SHARED_RULES } from '../../src/protocol/turn/stop-policy.ts';
import { endAtLimit, continuationAfter } from '../../src/protocol/turn/turn-end.ts';
import { TurnProtocol } from '../../src/protocol/protocols/turn-protocol.ts';
import type { Turn } from '../../src/protocol/turn/turn.ts';

const answerOnce = async function* (turn: Turn): AsyncGenerator<TurnEvent, DoneReason, undefined> {
  if (turn.isCancelled) return 'cancelled';
  const answer = yield* runActionPhase(turn, { stopAt: 'end', tools: false });
  const next = continuationAfter(turn, answer);
  if (next.kind === 'turn_ended') return next.reason;
  // Time, tokens or repetition cut the answer: readers are told so, and the turn ends.
  const limit = firstLimit(SHARED_RULES, turn.meter.stopFacts);
  return limit ? yield* endAtLimit(turn, { ...limit, forcesAnswer: false }) : 'answered';
};

/** A protocol with a single model call and no tools. */
export class SingleAnswerProtocol extends TurnProtocol {
  constructor(ports: ProtocolPorts) {
    super(ports, answerOnce);
  }

  override getName(): string {
    return 'single-answer';
  }
}
