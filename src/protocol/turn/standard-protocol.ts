import type { DoneReason, TurnEvent } from '../../contracts/wire/turn-event.ts';
import { BUILT_IN_TOOLS } from '../../contracts/built-in-tools.ts';
import { callModel } from './model-call.ts';
import type { ProtocolPorts } from './protocol-strategy.ts';
import { StandardToolPhase } from './standard-tool-phase.ts';
import { firstLimit, STANDARD_RULES } from './stop-policy.ts';
import type { Turn } from './turn.ts';
import { TurnProtocol } from './turn-protocol.ts';
import { endAtLimit, afterAnswer } from './turn-end.ts';
import { writeBegunFiles } from '../calls/write-session-run.ts';

const MAX_MODEL_CALLS = 5;

const recordTools = (turn: Turn): void => {
  const tools = BUILT_IN_TOOLS.map((tool) => tool.name);
  const summary = `${tools.length} tools`;
  turn.trace({ type: 'tool_registration', source: 'system', summary, details: { tools } });
};

async function* loop(turn: Turn): AsyncGenerator<TurnEvent, DoneReason, undefined> {
  recordTools(turn);
  const tools = new StandardToolPhase(turn);
  for (let calls = 0; calls < MAX_MODEL_CALLS; calls += 1) {
    if (turn.cancelled) return 'cancelled';
    const limit = firstLimit(STANDARD_RULES, turn.stopView);
    if (limit) return yield* endAtLimit(turn, limit);
    const answer = yield* callModel(turn, { stopAt: 'end', tools: true });
    const next = afterAnswer(turn, answer);
    if (next.kind === 'over') return next.reason;
    if (next.kind === 'calls') yield* tools.run(answer);
    yield* writeBegunFiles(turn);
  }
  return yield* endAtBound(turn);
}

/** The last allowed call was no answer: the turn ends without another one, whatever else was reached. */
async function* endAtBound(turn: Turn): AsyncGenerator<TurnEvent, DoneReason, undefined> {
  if (turn.cancelled) return 'cancelled';
  const limit = firstLimit(STANDARD_RULES, turn.stopView);
  if (!limit) return 'cycles';
  return yield* endAtLimit(turn, { ...limit, forcesAnswer: false });
}

/** All calls of an answer run in order, at most five model calls (docs/protocol.md "Standard protocol"). */
export class StandardProtocol extends TurnProtocol {
  constructor(ports: ProtocolPorts) {
    super(ports, loop);
  }

  override getName(): string {
    return 'standard';
  }
}
