import type { ToolResult } from '../../contracts/tool-call.ts';
import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import { type AskedCall, askedCall, finishedCalls, isAllowed } from '../calls/asked-call.ts';
import { duplicateBlocked, MALFORMED, planMode, TOO_MANY_CALLS, type Told } from './notices.ts';
import type { ModelAnswer } from './ports.ts';
import {
  type Execution,
  executeCalls,
  recordDuplicate,
  recordExecution,
  resultFrame,
} from '../calls/tool-execution.ts';
import { DUPLICATE_BLOCKED, keepText, reportResults, resultBox } from '../calls/tool-report.ts';
import type { Turn } from './turn.ts';

interface Sorted {
  /** Complete calls that the mode allows, repeats included, in the order of the answer. */
  readonly allowed: readonly AskedCall[];
  readonly refused: readonly AskedCall[];
  readonly malformed: number;
  /** What is told of the malformed ones. */
  readonly told: Told;
}

const sortCalls = (turn: Turn, answer: ModelAnswer): Sorted => {
  if (answer.hasTooManyCalls) return { allowed: [], refused: [], malformed: 1, told: TOO_MANY_CALLS };
  const complete = finishedCalls(answer)
    .map((call) => askedCall(call, turn.context))
    .filter((asked) => asked !== undefined);
  return {
    allowed: complete.filter((asked) => isAllowed(asked, turn.context.mode)),
    refused: complete.filter((asked) => !isAllowed(asked, turn.context.mode)),
    malformed: answer.calls.length - complete.length,
    told: MALFORMED,
  };
};

/** The tool phases of a standard turn: every allowed call runs once in the turn. */
export class StandardToolPhase {
  readonly #turn: Turn;
  /** First result of each signature. */
  readonly #earlier = new Map<string, ToolResult>();

  constructor(turn: Turn) {
    this.#turn = turn;
  }

  async *run(answer: ModelAnswer): AsyncGenerator<TurnEvent, void, undefined> {
    const turn = this.#turn;
    yield turn.phase('tool');
    const sorted = sortCalls(turn, answer);
    const executions = await this.#execute(sorted.allowed);
    if (!executions) return;
    if (executions.length > 0) reportResults(turn, answer.text, executions);
    else keepText(turn, answer.text);
    for (const execution of executions) yield* this.#show(execution);
    yield* this.#refuse(sorted);
  }

  /** Results in the order of the calls; undefined when the turn was cancelled meanwhile. */
  async #execute(allowed: readonly AskedCall[]): Promise<Execution[] | undefined> {
    const signatures = allowed.map(({ signature }) => signature);
    const fresh = allowed.filter(
      ({ signature }, i) => !this.#earlier.has(signature) && signatures.indexOf(signature) === i,
    );
    const executed = fresh.length > 0 ? await executeCalls(this.#turn, fresh) : [];
    if (!executed) return undefined;
    for (const { asked, result } of executed) this.#earlier.set(asked.signature, result);
    return allowed.map((asked) => executed.find((one) => one.asked === asked) ?? this.#blocked(asked));
  }

  #blocked(asked: AskedCall): Execution {
    const { success, result, error } = this.#earlier.get(asked.signature) ?? { success: false };
    const previous = success ? { ok: true, result: result ?? null } : { ok: false, error: error ?? '' };
    return {
      asked,
      result: {
        ...resultFrame(this.#turn, asked),
        success: false,
        error: DUPLICATE_BLOCKED,
        details: { previous },
        attempts: 0,
      },
    };
  }

  *#show(execution: Execution): Generator<TurnEvent> {
    const { result } = execution;
    if (result.error === DUPLICATE_BLOCKED) {
      this.#turn.counters.duplicates += 1;
      recordDuplicate(this.#turn, execution.asked);
      yield this.#turn.tell(duplicateBlocked(result.toolName));
    } else {
      yield recordExecution(this.#turn, execution, 'new');
    }
    yield resultBox(this.#turn, execution);
  }

  *#refuse({ refused, malformed, told }: Sorted): Generator<TurnEvent> {
    const { counters } = this.#turn;
    counters.refusals += refused.length;
    counters.malformed += malformed;
    if (refused.length > 0) yield this.#turn.tell(planMode(refused.map(({ call }) => call.function.name)));
    if (malformed > 0) yield this.#turn.tell(told);
  }
}
