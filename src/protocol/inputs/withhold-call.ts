import type { InputResolved } from '../../contracts/wire/input-events.ts';
import { toolLabel } from '../../contracts/tools/tool-name.ts';
import type { CheckedCall } from '../calls/checked-call.ts';
import { NOT_RUN_INTERRUPTED } from '../turn/apply-steers.ts';
import { type ExecutedCall, baseResult } from '../turn/tool-execution.ts';
import type { Turn } from '../turn/turn.ts';

/** A call that does not run: it was denied, nobody has allowed it, or it gives way to a message of the user. */
export interface WithheldCall {
  readonly kind: 'withheld';
  /** The call with the failure that the model is given as its result. */
  readonly execution: ExecutedCall;
}

/* The texts of docs/inputs.md "Denied". Models rely on them word by word. */
const DENIED = 'The user did not allow this tool call.';
const DENIED_BY_POLICY = 'Policy does not allow this tool call.';
const NOT_ANSWERED = 'Nobody answered in time; the call was not run.';
const NO_MORE_REQUESTS = 'No more requests are allowed now; the call was not run.';

/** Withholds a call that the policy denies, or that needs an approval for which nobody can be asked. */
export const denyByPolicy = (turn: Turn, checkedCall: CheckedCall): WithheldCall =>
  denyCall(turn, checkedCall, DENIED_BY_POLICY);

/** Withholds a call about which nobody could be asked within the turn's time. */
export const denyUnanswered = (turn: Turn, checkedCall: CheckedCall): WithheldCall =>
  denyCall(turn, checkedCall, NOT_ANSWERED);

/** Withholds a call whose request ended with a reply that does not allow it. `event` is the end of the request. */
export const denyByReply = (turn: Turn, checkedCall: CheckedCall, event: InputResolved): WithheldCall =>
  event.by.kind === 'steer'
    ? interruptCall(turn, checkedCall)
    : denyCall(turn, checkedCall, denialText(event));

/** Withholds a call that gives way to a message of the user. This counts neither as a cycle nor as a refusal. */
export const interruptCall = (turn: Turn, checkedCall: CheckedCall): WithheldCall => {
  turn.interrupts.noteWorkEnded();
  return withholdCall(turn, checkedCall, { error: NOT_RUN_INTERRUPTED, summary: 'was not run' });
};

const denialText = ({ by, note }: InputResolved): string => {
  if (by.kind === 'expiry') return NOT_ANSWERED;
  if (by.kind === 'limit') return NO_MORE_REQUESTS;
  return note === undefined || note === '' ? DENIED : `${DENIED} The user says: ${note}`;
};

/** Denies a call. This counts as a refusal and not as a cycle, and the same call again is a repeat. */
const denyCall = (turn: Turn, checkedCall: CheckedCall, error: string): WithheldCall => {
  turn.meter.count('refusals');
  return withholdCall(turn, checkedCall, { error, summary: 'was not allowed' });
};

const withholdCall = (
  turn: Turn,
  checkedCall: CheckedCall,
  { error, summary }: { readonly error: string; readonly summary: string },
): WithheldCall => {
  const { call, declaration } = checkedCall;
  const result = { ...baseResult(turn, checkedCall), success: false, error, attempts: 0 };
  const details = { toolCallId: call.id, name: declaration.name };
  const label = toolLabel(declaration.name);
  turn.trace({ type: 'tool_result', source: 'system', summary: `${label} ${summary}`, details });
  return { kind: 'withheld', execution: { checkedCall, result, isWithheld: true } };
};
