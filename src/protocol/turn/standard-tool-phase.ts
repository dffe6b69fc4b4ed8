import type { ToolResult } from '../../contracts/tool-call.ts';
import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import { type CheckedCall, checkCall, finishedCalls, isAllowed } from '../calls/checked-call.ts';
import { duplicateBlocked, MALFORMED, planMode, TOO_MANY_CALLS, type Announcement } from './notices.ts';
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
  readonly allowed: readonly CheckedCall[];
  readonly refused: readonly CheckedCall[];
  readonly malformed: number;
  /** What is told of the malformed ones. */
  readonly announcement: Announcement;
}

const sortCalls = (turn: Turn, answer: ModelAnswer): Sorted => {
  if (answer.hasTooManyCalls) return { allowed: [], refused: [], malformed: 1, announcement: TOO_MANY_CALLS };
  const complete = finishedCalls(answer)
    .map((call) => checkCall(call, turn.context))
    .filter((checked) => checked !== undefined);
  return {
    allowed: complete.filter((checked) => isAllowed(checked, turn.context.mode)),
    refused: complete.filter((checked) => !isAllowed(checked, turn.context.mode)),
    malformed: answer.calls.length - complete.length,
    announcement: MALFORMED,
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
  async #execute(allowed: readonly CheckedCall[]): Promise<Execution[] | undefined> {
    const signatures = allowed.map(({ signature }) => signature);
    const fresh = allowed.filter(
      ({ signature }, i) => !this.#earlier.has(signature) && signatures.indexOf(signature) === i,
    );
    const executed = fresh.length > 0 ? await executeCalls(this.#turn, fresh) : [];
    if (!executed) return undefined;
    for (const { checked, result } of executed) this.#earlier.set(checked.signature, result);
    return allowed.map(
      (checked) => executed.find((one) => one.checked === checked) ?? this.#blocked(checked),
    );
  }

  #blocked(checked: CheckedCall): Execution {
    const { success, result, error } = this.#earlier.get(checked.signature) ?? { success: false };
    const previous = success ? { ok: true, result: result ?? null } : { ok: false, error: error ?? '' };
    return {
      checked,
      result: {
        ...resultFrame(this.#turn, checked),
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
      recordDuplicate(this.#turn, execution.checked);
      yield this.#turn.announce(duplicateBlocked(result.toolName));
    } else {
      yield recordExecution(this.#turn, execution, 'new');
    }
    yield resultBox(this.#turn, execution);
  }

  *#refuse({ refused, malformed, announcement }: Sorted): Generator<TurnEvent> {
    const { counters } = this.#turn;
    counters.refusals += refused.length;
    counters.malformed += malformed;
    if (refused.length > 0)
      yield this.#turn.announce(planMode(refused.map(({ call }) => call.function.name)));
    if (malformed > 0) yield this.#turn.announce(announcement);
  }
}
