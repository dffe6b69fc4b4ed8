import { isAllowedIn, type ToolResult } from '../../contracts/tools/tool-call.ts';
import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import { type CheckedCall, checkCall, completeCalls } from '../calls/checked-call.ts';
import { type CallDecision, authorizeCall } from '../inputs/authorize-call.ts';
import {
  duplicateNotice,
  MALFORMED_NOTICE,
  planModeNotice,
  TOO_MANY_CALLS_NOTICE,
  type NoticeText,
} from '../turn/notices.ts';
import type { ModelAnswer } from '../ports/model-port.ts';
import { type ExecutedCall, executeCalls, traceDuplicate, baseResult } from '../turn/tool-execution.ts';
import { recordExecution } from '../turn/record-execution.ts';
import { DUPLICATE_BLOCKED, appendModelText, reportResults, resultBox } from '../turn/tool-report.ts';
import type { Turn } from '../turn/turn.ts';

interface SortedCalls {
  /** Complete calls that the mode allows, repeats included, in the order of the answer. */
  readonly allowed: readonly CheckedCall[];
  readonly refused: readonly CheckedCall[];
  readonly malformed: number;
  /** The notice about the malformed calls. */
  readonly notice: NoticeText;
}

/**
 * Runs the tool phases of a standard turn. A call runs at most once, except that a read may run again while prompts
 * leave its result out. After a message of the user a new instance takes over, so that calls may run again.
 */
export class StandardToolPhase {
  readonly #turn: Turn;
  /** The latest result of each signature, also of calls that were withheld. */
  readonly #earlierResults = new Map<string, ToolResult>();

  constructor(turn: Turn) {
    this.#turn = turn;
  }

  /**
   * Runs the tool phase after an answer with calls, and yields its events. The allowed calls run in order. The model is
   * told their results, and why the other calls were refused.
   */
  async *run(answer: ModelAnswer): AsyncGenerator<TurnEvent, void, undefined> {
    const turn = this.#turn;
    yield turn.phases.open('tool');
    const sorted = sortCalls(turn, answer);
    const executions = yield* this.#execute(sorted.allowed);
    if (!executions) return;
    if (executions.length > 0) reportResults(turn, answer.text, executions);
    else appendModelText(turn, answer.text);
    for (const execution of executions) yield* this.#show(execution);
    yield* this.#refuse(sorted);
  }

  /**
   * Runs the calls that are no repeats. Returns the results of all calls, in their order, or undefined if the turn was
   * cancelled meanwhile.
   */
  async *#execute(
    allowed: readonly CheckedCall[],
  ): AsyncGenerator<TurnEvent, ExecutedCall[] | undefined, undefined> {
    const signatures = allowed.map(({ signature }) => signature);
    const fresh = allowed.filter(
      ({ signature }, i) => !this.#isRepeat(signature) && signatures.indexOf(signature) === i,
    );
    const executions = yield* this.#executeFresh(fresh);
    if (!executions) return undefined;
    fresh.forEach(({ signature }, i) => {
      const execution = executions[i];
      if (!execution) return;
      this.#earlierResults.set(signature, execution.result);
      // The call that ran has another signature if a person edited it. Neither call may come again.
      this.#earlierResults.set(execution.checkedCall.signature, execution.result);
    });
    return allowed.map(
      (checkedCall) => executions[fresh.indexOf(checkedCall)] ?? this.#refusedRepeat(checkedCall),
    );
  }

  /**
   * Runs calls of which none is a repeat, in order. Returns undefined if the turn was cancelled meanwhile, after it has
   * shown the results of the calls that had run.
   */
  async *#executeFresh(
    fresh: readonly CheckedCall[],
  ): AsyncGenerator<TurnEvent, ExecutedCall[] | undefined, undefined> {
    const turn = this.#turn;
    if (fresh.length === 0) return [];
    // Nobody can be asked and nobody can interrupt, so one port call runs all of them.
    if (!turn.context.inputs && !turn.context.steers) return executeCalls(turn, fresh);
    const executions: ExecutedCall[] = [];
    for (const [position, checkedCall] of fresh.entries()) {
      // An edit must not turn a call into one that ran before, or into another call of this answer.
      const isRepeat = (signature: string): boolean =>
        this.#isRepeat(signature) ||
        fresh.some((other) => other.signature === signature) ||
        executions.some((other) => other.checkedCall.signature === signature);
      const decision = yield* authorizeCall(turn, checkedCall, isRepeat);
      const execution = await this.#executeAuthorized(decision, position);
      if (!execution) {
        for (const earlier of executions) yield* this.#show(earlier);
        return undefined;
      }
      executions.push(execution);
    }
    return executions;
  }

  async #executeAuthorized(decision: CallDecision, position: number): Promise<ExecutedCall | undefined> {
    switch (decision.kind) {
      case 'cancelled':
        return undefined;
      case 'failed':
      case 'withheld':
        return decision.execution;
      case 'run': {
        const { checkedCall, options, replacedCall } = decision;
        const [execution] = (await executeCalls(this.#turn, [checkedCall], { position, ...options })) ?? [];
        return execution && replacedCall ? { ...execution, replacedCall: replacedCall.call } : execution;
      }
      default:
        return decision satisfies never;
    }
  }

  /**
   * Reports whether a call is a repeat: it was answered before, and it is not a read whose result prompts leave out.
   */
  #isRepeat(signature: string): boolean {
    return this.#earlierResults.has(signature) && !this.#turn.results.mayReadAgain(signature);
  }

  #refusedRepeat(checkedCall: CheckedCall): ExecutedCall {
    const { success, result, error } = this.#earlierResults.get(checkedCall.signature) ?? { success: false };
    const previous = success ? { ok: true, result: result ?? null } : { ok: false, error: error ?? '' };
    return {
      checkedCall,
      result: {
        ...baseResult(this.#turn, checkedCall),
        success: false,
        error: DUPLICATE_BLOCKED,
        details: { previous },
        attempts: 0,
      },
    };
  }

  *#show(execution: ExecutedCall): Generator<TurnEvent> {
    const { result } = execution;
    if (result.error === DUPLICATE_BLOCKED) {
      this.#turn.meter.count('duplicates');
      traceDuplicate(this.#turn, execution.checkedCall);
      yield this.#turn.addNotice(duplicateNotice(result.toolName));
    } else if (!execution.isWithheld) {
      yield recordExecution(this.#turn, execution, 'new');
    }
    yield resultBox(execution);
  }

  *#refuse({ refused, malformed, notice }: SortedCalls): Generator<TurnEvent> {
    this.#turn.meter.count('refusals', refused.length);
    this.#turn.meter.count('malformed', malformed);
    if (refused.length > 0) {
      yield this.#turn.addNotice(planModeNotice(refused.map(({ call }) => call.function.name)));
    }
    if (malformed > 0) yield this.#turn.addNotice(notice);
  }
}

const sortCalls = (turn: Turn, answer: ModelAnswer): SortedCalls => {
  if (answer.hasTooManyCalls) {
    return { allowed: [], refused: [], malformed: 1, notice: TOO_MANY_CALLS_NOTICE };
  }
  const complete = completeCalls(answer)
    .map((call) => checkCall(call, turn.context))
    .filter((checkedCall) => checkedCall !== undefined);
  return {
    allowed: complete.filter((checkedCall) => isAllowedIn(turn.context.mode, checkedCall.declaration)),
    refused: complete.filter((checkedCall) => !isAllowedIn(turn.context.mode, checkedCall.declaration)),
    malformed: answer.calls.length - complete.length,
    notice: MALFORMED_NOTICE,
  };
};
