import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import { type CheckedCall, checkCall, finishedCalls, isAllowed } from '../calls/checked-call.ts';
import type { Permission } from '../calls/call-history.ts';
import { DUPLICATE, MALFORMED, planMode, TOO_MANY_CALLS, type Announcement } from './notices.ts';
import type { ModelAnswer } from './ports.ts';
import { REFUSAL_RULES } from './stop-policy.ts';
import { executeCalls, recordDuplicate, recordExecution } from '../calls/tool-execution.ts';
import { DUPLICATE_BLOCKED, keepText, reportResults, resultBox } from '../calls/tool-report.ts';
import type { Turn } from './turn.ts';

type RefusalCounter = keyof typeof REFUSAL_RULES;

type Verdict =
  | { readonly kind: 'run'; readonly checked: CheckedCall; readonly permission: Permission }
  | {
      readonly kind: 'refuse';
      readonly counter: RefusalCounter;
      readonly announcement: Announcement;
      readonly checked?: CheckedCall;
    };

/** The call that the phase is about: the first complete one. */
const firstComplete = (turn: Turn, answer: ModelAnswer): CheckedCall | undefined => {
  for (const call of finishedCalls(answer)) {
    const checked = checkCall(call, turn.context);
    if (checked) return checked;
  }
  return undefined;
};

const judge = (turn: Turn, answer: ModelAnswer): Verdict => {
  const checked = firstComplete(turn, answer);
  if (!checked) {
    const announcement = answer.hasTooManyCalls ? TOO_MANY_CALLS : MALFORMED;
    return { kind: 'refuse', counter: 'malformed', announcement };
  }
  if (!isAllowed(checked, turn.context.mode)) {
    return { kind: 'refuse', counter: 'refusals', announcement: planMode([checked.call.function.name]) };
  }
  const { tools } = turn.context;
  const permission = turn.history.permission(checked.signature, () => tools.comparesTimings?.() ?? false);
  if (!permission) return { kind: 'refuse', counter: 'duplicates', announcement: DUPLICATE, checked };
  return { kind: 'run', checked, permission };
};

function* refuse(
  turn: Turn,
  text: string,
  { counter, announcement, checked }: Verdict & { kind: 'refuse' },
): Generator<TurnEvent> {
  turn.counters[counter] += 1;
  keepText(turn, text);
  if (counter === 'duplicates' && checked) recordDuplicate(turn, checked);
  const isLimit = REFUSAL_RULES[counter](turn.stopView) !== undefined;
  if (!isLimit) yield turn.announce(announcement);
}

/** Opened for every call of an answer: that one call is refused, or run and reported to the model (I2). */
export async function* toolPhase(
  turn: Turn,
  answer: ModelAnswer,
): AsyncGenerator<TurnEvent, void, undefined> {
  yield turn.phase('tool');
  const verdict = judge(turn, answer);
  if (verdict.kind === 'refuse') {
    yield* refuse(turn, answer.text, verdict);
    return;
  }
  const { checked, permission } = verdict;
  const executions = await executeCalls(turn, [checked], turn.history.pollDelay(checked.signature));
  if (!executions) return;
  for (const execution of executions) {
    if (execution.result.error === DUPLICATE_BLOCKED) recordDuplicate(turn, execution.checked);
    yield recordExecution(turn, execution, permission);
  }
  reportResults(turn, answer.text, executions);
  if (turn.budgets.debugShowToolResults) yield* executions.map((execution) => resultBox(turn, execution));
}
