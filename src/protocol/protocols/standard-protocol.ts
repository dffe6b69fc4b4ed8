import type { DoneReason, TurnEvent } from '../../contracts/wire/turn-event.ts';
import { askAtLimit } from '../inputs/ask-at-limit.ts';
import { authorizeCommit } from '../inputs/authorize-commit.ts';
import { runActionPhase } from '../turn/model-call.ts';
import type { ProtocolPorts } from './protocol-strategy.ts';
import { StandardToolPhase } from './standard-tool-phase.ts';
import { firstLimit, SHARED_RULES } from '../turn/stop-policy.ts';
import { applySteers, hasPendingSteers } from '../turn/apply-steers.ts';
import type { Turn } from '../turn/turn.ts';
import { TurnProtocol } from './turn-protocol.ts';
import { endAtLimit, continuationAfter } from '../turn/turn-end.ts';
import { runBegunSessions } from '../turn/write-session-run.ts';

/**
 * The most model calls of a turn, counted again after each message of its user. Forced answers, and calls whose text is
 * the content of a file, are not counted.
 */
const MAX_MODEL_CALLS = 5;

/**
 * The protocol in which all tool calls of an answer run in order, with at most `MAX_MODEL_CALLS` model calls
 * (docs/protocol.md "Standard protocol").
 */
export class StandardProtocol extends TurnProtocol {
  constructor(ports: ProtocolPorts) {
    super(ports, runStandard);
  }

  override getName(): string {
    return 'standard';
  }
}

/** Runs the steps of a standard turn, and returns why the turn would end now. */
export const runStandard = async function* (turn: Turn): AsyncGenerator<TurnEvent, DoneReason, undefined> {
  if (turn.meter.counters.modelCalls === 0) recordTools(turn);
  let tools = new StandardToolPhase(turn);
  for (let calls = 0; calls < MAX_MODEL_CALLS;) {
    if (turn.isCancelled) return 'cancelled';
    if (yield* applySteers(turn)) [tools, calls] = [new StandardToolPhase(turn), 0];
    const limit = firstLimit(SHARED_RULES, turn.meter.stopFacts);
    if (limit) {
      if ((yield* askAtLimit(turn, limit, SHARED_RULES)) || hasPendingSteers(turn)) continue;
      return yield* endAtLimit(turn, limit);
    }
    calls += 1;
    const answer = yield* runActionPhase(turn, { stopAt: 'end', tools: true });
    const next = continuationAfter(turn, answer);
    if (next.kind === 'turn_ended') return next.reason;
    if (next.kind === 'calls') yield* tools.run(answer);
    yield* runBegunSessions(turn, authorizeCommit);
  }
  return yield* endAtCallLimit(turn);
};

const recordTools = (turn: Turn): void => {
  const tools = turn.context.offered();
  const description =
    tools === undefined ? { summary: 'tools' } : { summary: `${tools.length} tools`, details: { tools } };
  turn.trace({ type: 'tool_registration', source: 'system', ...description });
};

/**
 * Ends a turn whose last allowed model call gave no answer. No further call is made, even if a limit was reached that
 * would force an answer.
 */
const endAtCallLimit = async function* (turn: Turn): AsyncGenerator<TurnEvent, DoneReason, undefined> {
  if (turn.isCancelled) return 'cancelled';
  const limit = firstLimit(SHARED_RULES, turn.meter.stopFacts);
  if (!limit) return 'cycles';
  return yield* endAtLimit(turn, { ...limit, forcesAnswer: false });
};
