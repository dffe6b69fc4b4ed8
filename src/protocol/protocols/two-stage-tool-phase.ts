import { isAllowedIn } from '../../contracts/tools/tool-call.ts';
import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import { type CheckedCall, otherCompleteCalls, checkCall, completeCalls } from '../calls/checked-call.ts';
import type { RepeatPermission } from '../calls/call-history.ts';
import { type CallDecision, authorizeCall } from '../inputs/authorize-call.ts';
import {
  DUPLICATE_NOTICE,
  MALFORMED_NOTICE,
  planModeNotice,
  TOO_MANY_CALLS_NOTICE,
  type NoticeText,
} from '../turn/notices.ts';
import type { ModelAnswer } from '../ports/model-port.ts';
import { REFUSAL_RULES } from '../turn/stop-policy.ts';
import { type ExecutedCall, executeCalls, traceDuplicate } from '../turn/tool-execution.ts';
import { recordExecution } from '../turn/record-execution.ts';
import {
  DUPLICATE_BLOCKED,
  appendModelText,
  reportResults,
  resultBox,
  reportAgain,
} from '../turn/tool-report.ts';
import type { Turn } from '../turn/turn.ts';

type RefusalCounter = keyof typeof REFUSAL_RULES;

type CallVerdict =
  | { readonly kind: 'run'; readonly checkedCall: CheckedCall; readonly permission: RepeatPermission }
  | {
      readonly kind: 'refuse';
      readonly counter: RefusalCounter;
      readonly notice: NoticeText;
      readonly checkedCall?: CheckedCall;
    };

/**
 * Runs the tool phase after an answer with calls: one of them is run or refused, and the model is told the result (I2
 * of docs/protocol.md "Invariants").
 */
export const runTwoStageToolPhase = async function* (
  turn: Turn,
  answer: ModelAnswer,
): AsyncGenerator<TurnEvent, void, undefined> {
  yield turn.phases.open('tool');
  const verdict = judge(turn, answer);
  if (verdict.kind === 'refuse') {
    yield* refuseCall(turn, answer.text, verdict);
    return;
  }
  const isRepeat = (signature: string): boolean => turn.permissionFor(signature) === undefined;
  const decision = yield* authorizeCall(turn, verdict.checkedCall, isRepeat);
  if (decision.kind === 'cancelled') return;
  const executions = await executeIfAllowed(turn, decision);
  if (!executions) return;
  for (const execution of executions) yield* record(turn, execution, verdict);
  reportResults(turn, answer.text, executions, otherCompleteCalls(answer, verdict.checkedCall.call));
  if (turn.meter.budgets.debugShowToolResults) yield* executions.map(resultBox);
};

/**
 * Judges the call that the phase is about. Mode comes before duplicates: a call that the mode forbids has never run, so
 * it cannot be a repeat.
 */
const judge = (turn: Turn, answer: ModelAnswer): CallVerdict => {
  const checkedCall = firstComplete(turn, answer);
  if (!checkedCall) {
    const notice = answer.hasTooManyCalls ? TOO_MANY_CALLS_NOTICE : MALFORMED_NOTICE;
    return { kind: 'refuse', counter: 'malformed', notice };
  }
  if (!isAllowedIn(turn.context.mode, checkedCall.declaration)) {
    return {
      kind: 'refuse',
      counter: 'refusals',
      notice: planModeNotice([checkedCall.call.function.name]),
    };
  }
  const { tools } = turn.context;
  // `choosePollComparison` may be called only where the choice has an effect. The permission that it leads to is passed
  // on to `record`. `isRepeat` judges replies, so it does not ask for the choice.
  const pollComparison = turn.history.dependsOnPollComparison(checkedCall.signature)
    ? tools.choosePollComparison?.()
    : undefined;
  const permission = turn.permissionFor(checkedCall.signature, pollComparison);
  if (!permission) return { kind: 'refuse', counter: 'duplicates', notice: DUPLICATE_NOTICE, checkedCall };
  return { kind: 'run', checkedCall, permission };
};

/** Returns the call that the phase is about, which is the first complete one. Returns undefined if there is none. */
const firstComplete = (turn: Turn, answer: ModelAnswer): CheckedCall | undefined => {
  for (const call of completeCalls(answer)) {
    const checkedCall = checkCall(call, turn.context);
    if (checkedCall) return checkedCall;
  }
  return undefined;
};

const refuseCall = function* (
  turn: Turn,
  text: string,
  { counter, notice, checkedCall }: CallVerdict & { kind: 'refuse' },
): Generator<TurnEvent> {
  turn.meter.count(counter);
  if (!checkedCall || !reportAgain(turn, text, checkedCall)) appendModelText(turn, text);
  if (counter === 'duplicates' && checkedCall) traceDuplicate(turn, checkedCall);
  const isLimit = REFUSAL_RULES[counter](turn.meter.stopFacts) !== undefined;
  if (!isLimit) yield turn.addNotice(notice);
};

/** Runs the call if it is allowed, and returns its execution. Returns undefined if the turn was cancelled meanwhile. */
const executeIfAllowed = async (
  turn: Turn,
  decision: Exclude<CallDecision, { kind: 'cancelled' }>,
): Promise<ExecutedCall[] | undefined> => {
  if (decision.kind !== 'run') return [decision.execution];
  const { checkedCall, options, replacedCall } = decision;
  const delayMs = turn.history.pollDelay(checkedCall.signature);
  const executions = await executeCalls(turn, [checkedCall], { delayMs, ...options });
  return replacedCall
    ? executions?.map((execution) => ({ ...execution, replacedCall: replacedCall.call }))
    : executions;
};

const record = function* (
  turn: Turn,
  execution: ExecutedCall,
  { checkedCall: requested, permission }: CallVerdict & { kind: 'run' },
): Generator<TurnEvent> {
  const { checkedCall, result, isWithheld } = execution;
  const isChanged = checkedCall.signature !== requested.signature;
  // The model's own call did not run: it was withheld, or a person replaced it. From now on the same call counts as a
  // duplicate.
  if (isWithheld || isChanged) turn.history.noteDenied(requested.signature);
  if (isWithheld) return;
  if (result.error === DUPLICATE_BLOCKED) traceDuplicate(turn, checkedCall);
  const reason = isChanged ? turn.permissionFor(checkedCall.signature) : permission;
  yield recordExecution(turn, execution, reason ?? 'new');
};
