import type { ToolApproval, ToolDeclaration, ToolResult } from '../../contracts/tools/tool-call.ts';
import type { ReplyName } from '../../contracts/wire/input-events.ts';
import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import { type CheckedCall, checkCall } from '../calls/checked-call.ts';
import { completeResult, type ExecutedCall, type ExecutionOptions } from '../turn/tool-execution.ts';
import { toolLabel } from '../../contracts/tools/tool-name.ts';
import type { ResolvedInputRequest, InputPort } from '../ports/input-port.ts';
import type { Turn } from '../turn/turn.ts';
import { approvalModeOf } from './approval-policy.ts';
import { type PlannedInputRequest, type InputRequestOutcome, requestInput } from './request-input.ts';
import {
  denyByPolicy,
  denyByReply,
  denyUnanswered,
  interruptCall,
  type WithheldCall,
} from './withhold-call.ts';

/** The decision about a call that has passed the core's own checks. */
export type CallDecision =
  | {
      readonly kind: 'run';
      readonly checkedCall: CheckedCall;
      readonly options?: Pick<ExecutionOptions, 'approval' | 'answer' | 'asksAtCommit'>;
      /** The model's own call, if a person edited it. `checkedCall` is then the edited call. */
      readonly replacedCall?: CheckedCall;
    }
  /** The call failed the worker's checks. `execution` has the failure as its result. */
  | { readonly kind: 'failed'; readonly execution: ExecutedCall }
  | WithheldCall
  | { readonly kind: 'cancelled' };

/** Reports whether the rule of duplicates forbids a call with this signature. */
export type IsRepeat = (signature: string) => boolean;

/**
 * Decides whether a call runs. If the policy or the tool demands it, or the call is a request itself, it asks a person,
 * yields the events of the request, and waits.
 */
export const authorizeCall = async function* (
  turn: Turn,
  checkedCall: CheckedCall,
  isRepeat: IsRepeat,
): AsyncGenerator<TurnEvent, CallDecision, undefined> {
  const decision = yield* authorizeByPolicy(turn, checkedCall, isRepeat);
  // A message that interrupts keeps a call from running, but an answer that a person has given to it is not thrown
  // away.
  const mayStop = decision.kind === 'run' && !decision.options?.answer;
  return mayStop && turn.interrupts.isWaiting ? interruptCall(turn, checkedCall) : decision;
};

const authorizeByPolicy = async function* (
  turn: Turn,
  checkedCall: CheckedCall,
  isRepeat: IsRepeat,
): AsyncGenerator<TurnEvent, CallDecision, undefined> {
  const port = turn.context.inputs;
  // Nobody is asked about a call that `authorizeCall` withholds anyway.
  if (turn.interrupts.isWaiting) return { kind: 'run', checkedCall };
  // The gateway that started the turn knew of no tool whose calls need approval, so nobody can be asked.
  if (!port && checkedCall.declaration.needsApproval !== undefined) {
    return denyByPolicy(turn, checkedCall);
  }
  if (!port) return { kind: 'run', checkedCall };
  const mode = approvalModeOf(port.policy, checkedCall);
  if (mode === 'deny') return denyByPolicy(turn, checkedCall);
  const { name, asks, beginsWriteSession } = checkedCall.declaration;
  // A call that is itself a request needs no approval.
  if (asks !== undefined && port.recordAskDecision(asks)) {
    return yield* askForCallAnswer(turn, port, checkedCall, asks);
  }
  if (mode === 'allow') return { kind: 'run', checkedCall };
  // Before the text of a file is written, there is nothing to show. The person is asked at the commit.
  if (beginsWriteSession && port.recordAskDecision('commit')) {
    return { kind: 'run', checkedCall, options: { asksAtCommit: true } };
  }
  const inputId = turn.allowanceFor(name);
  if (inputId !== undefined) return approveCall(checkedCall, { inputId, once: false });
  return yield* askForApproval(turn, port, checkedCall, isRepeat);
};

const askForApproval = async function* (
  turn: Turn,
  port: InputPort,
  checkedCall: CheckedCall,
  isRepeat: IsRepeat,
): AsyncGenerator<TurnEvent, CallDecision, undefined> {
  const end = yield* requestInput(turn, port, approvalRequest(turn, port, checkedCall, isRepeat));
  return end.kind === 'resolved'
    ? authorizeCallByReply(turn, checkedCall, end.outcome, end.shown.argsHash)
    : decideWithoutReply(turn, checkedCall, end);
};

/** Asks for the answer to a call that is itself a request. The answer becomes the result of the call. */
const askForCallAnswer = async function* (
  turn: Turn,
  port: InputPort,
  checkedCall: CheckedCall,
  kind: NonNullable<ToolDeclaration['asks']>,
): AsyncGenerator<TurnEvent, CallDecision, undefined> {
  const end = yield* requestInput(turn, port, {
    kind,
    checkedCall,
    options: [kind === 'question' ? 'answer' : 'result', 'deny'],
    default: 'deny',
    message: () => messageOf(checkedCall, kind),
  });
  if (end.kind !== 'resolved') return decideWithoutReply(turn, checkedCall, end);
  const { event, answer } = end.outcome;
  if (!answer) return denyByReply(turn, checkedCall, event);
  return { kind: 'run', checkedCall, options: { approval: { inputId: event.inputId, once: true }, answer } };
};

const messageOf = (
  { arguments: { question }, declaration }: CheckedCall,
  kind: NonNullable<ToolDeclaration['asks']>,
): string => {
  if (kind === 'client_tool') return `Run ${declaration.name} and give its result.`;
  return typeof question === 'string' ? question : '';
};

const decideWithoutReply = (
  turn: Turn,
  checkedCall: CheckedCall,
  end: Exclude<InputRequestOutcome, { kind: 'resolved' }>,
): CallDecision => {
  switch (end.kind) {
    case 'cancelled':
      return end;
    case 'failed':
      return { kind: 'failed', execution: failedExecution(turn, checkedCall, end.result) };
    case 'lost':
      return denyUnanswered(turn, checkedCall);
    case 'interrupted':
      return interruptCall(turn, checkedCall);
    default:
      return end satisfies never;
  }
};

const approvalRequest = (
  turn: Turn,
  port: InputPort,
  checkedCall: CheckedCall,
  isRepeat: IsRepeat,
): PlannedInputRequest => ({
  kind: 'approval',
  checkedCall,
  options: replyOptionsFor(checkedCall.declaration),
  default: 'deny',
  message: ({ target }) =>
    `May ${toolLabel(checkedCall.declaration.name)} run${target === undefined ? '' : ` on ${target}`}?`,
  refusalFor: (text) => {
    const other = checkWithArguments(turn, checkedCall, text);
    if (!other) return 'expected a JSON object';
    if (approvalModeOf(port.policy, other) === 'deny') return 'policy does not allow these arguments';
    const isChanged = other.signature !== checkedCall.signature;
    return isChanged && isRepeat(other.signature) ? 'this call has run in this turn already' : undefined;
  },
});

/**
 * Returns the replies that a request for approval offers: no `allow_turn` if each call of the tool must be asked about.
 */
const replyOptionsFor = ({ needsApproval }: ToolDeclaration): readonly ReplyName[] =>
  needsApproval === 'each_call' ? ['allow', 'edit', 'deny'] : ['allow', 'allow_turn', 'edit', 'deny'];

const authorizeCallByReply = (
  turn: Turn,
  checkedCall: CheckedCall,
  { event, arguments: editedArguments }: ResolvedInputRequest,
  argsHash: string | undefined,
): CallDecision => {
  const { reply, inputId } = event;
  const shownVersion = argsHash === undefined ? {} : { argsHash };
  if (reply === 'allow') return approveCall(checkedCall, { inputId, once: true, ...shownVersion });
  if (reply === 'allow_turn') {
    turn.allowTool(checkedCall.declaration.name, inputId);
    return approveCall(checkedCall, { inputId, once: false, ...shownVersion });
  }
  const other =
    reply === 'edit' && editedArguments !== undefined
      ? checkWithArguments(turn, checkedCall, editedArguments)
      : undefined;
  if (!other) return denyByReply(turn, checkedCall, event);
  const approval = {
    inputId,
    once: true,
    ...shownVersion,
    ...(event.argsHash !== undefined && { argsHash: event.argsHash }),
  };
  return { ...approveCall(other, approval), replacedCall: checkedCall };
};

const approveCall = (checkedCall: CheckedCall, approval: ToolApproval): CallDecision & { kind: 'run' } => ({
  kind: 'run',
  checkedCall,
  options: { approval },
});

const checkWithArguments = (turn: Turn, { call }: CheckedCall, text: string): CheckedCall | undefined =>
  checkCall({ ...call, function: { ...call.function, arguments: text } }, turn.context);

const failedExecution = (turn: Turn, checkedCall: CheckedCall, result: ToolResult): ExecutedCall => ({
  checkedCall,
  result: completeResult(turn, checkedCall, result),
});
