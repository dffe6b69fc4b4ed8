import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import { type AskedCall, askedCall, finishedCalls, isAllowed } from '../calls/asked-call.ts';
import type { Permission } from '../calls/call-history.ts';
import { DUPLICATE, MALFORMED, planMode, TOO_MANY_CALLS, type Told } from './notices.ts';
import type { ModelAnswer } from './ports.ts';
import { REFUSAL_RULES } from './stop-policy.ts';
import { executeCalls, recordDuplicate, recordExecution } from '../calls/tool-execution.ts';
import { DUPLICATE_BLOCKED, keepText, reportResults, resultBox } from '../calls/tool-report.ts';
import type { Turn } from './turn.ts';

type RefusalCounter = keyof typeof REFUSAL_RULES;

type Verdict =
  | { readonly kind: 'run'; readonly asked: AskedCall; readonly permission: Permission }
  | {
      readonly kind: 'refuse';
      readonly counter: RefusalCounter;
      readonly told: Told;
      readonly asked?: AskedCall;
    };

/** The call that the phase is about: the first complete one. */
const firstComplete = (turn: Turn, answer: ModelAnswer): AskedCall | undefined => {
  for (const call of finishedCalls(answer)) {
    const asked = askedCall(call, turn.context);
    if (asked) return asked;
  }
  return undefined;
};

const judge = (turn: Turn, answer: ModelAnswer): Verdict => {
  const asked = firstComplete(turn, answer);
  if (!asked) {
    const told = answer.hasTooManyCalls ? TOO_MANY_CALLS : MALFORMED;
    return { kind: 'refuse', counter: 'malformed', told };
  }
  if (!isAllowed(asked, turn.context.mode)) {
    return { kind: 'refuse', counter: 'refusals', told: planMode([asked.call.function.name]) };
  }
  const { tools } = turn.context;
  const permission = turn.history.permission(asked.signature, () => tools.comparesTimings?.() ?? false);
  if (!permission) return { kind: 'refuse', counter: 'duplicates', told: DUPLICATE, asked };
  return { kind: 'run', asked, permission };
};

function* refuse(
  turn: Turn,
  text: string,
  { counter, told, asked }: Verdict & { kind: 'refuse' },
): Generator<TurnEvent> {
  turn.counters[counter] += 1;
  keepText(turn, text);
  if (counter === 'duplicates' && asked) recordDuplicate(turn, asked);
  const isLimit = REFUSAL_RULES[counter](turn.stopView) !== undefined;
  if (!isLimit) yield turn.tell(told);
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
  const { asked, permission } = verdict;
  const executions = await executeCalls(turn, [asked], turn.history.pollDelay(asked.signature));
  if (!executions) return;
  for (const execution of executions) {
    if (execution.result.error === DUPLICATE_BLOCKED) recordDuplicate(turn, execution.asked);
    yield recordExecution(turn, execution, permission);
  }
  reportResults(turn, answer.text, executions);
  if (turn.budgets.debugShowToolResults) yield* executions.map((execution) => resultBox(turn, execution));
}
