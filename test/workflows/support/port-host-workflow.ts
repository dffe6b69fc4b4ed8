/** Entry of a workflow bundle of tests. `workflows/index.ts` is the entry of the product's own. */
import { CancellationScope, condition, setHandler } from '@temporalio/workflow';
import type { TurnInput } from '../../../src/contracts/payload/turn-workflow-payloads.ts';
import { fieldsOf } from '../../../src/contracts/values/unchecked-value.ts';
import { errorMessage } from '../../../src/contracts/values/error-message.ts';
import { TurnLog } from '../../../src/protocol/event-log/turn-log.ts';
import { TraceCarrier } from '../../../workflows/turn/trace-carrier.ts';
import { ActivityBackedInputs } from '../../../workflows/turn/activity-backed-inputs.ts';
import { ActivityBackedModel } from '../../../workflows/turn/activity-backed-model.ts';
import { ActivityBackedTools } from '../../../workflows/turn/activity-backed-tools.ts';
import {
  ActivityBackedWriteSessions,
  registerSessionHandlers,
} from '../../../workflows/turn/activity-backed-write-sessions.ts';
import { OpenWaits } from '../../../workflows/turn/open-waits.ts';
import { registerReplyHandlers } from '../../../workflows/turn/reply-handlers.ts';
import { registerRunHandlers } from '../../../workflows/turn/run-messages.ts';
import { ResolutionCarrier } from '../../../workflows/turn/resolution-carrier.ts';
import type { TurnRun } from '../../../workflows/turn/turn-run.ts';
import { TurnState } from '../../../workflows/turn/turn-state.ts';
import { registerSteerHandlers, TurnSteering } from '../../../workflows/turn/turn-steering.ts';
import { refuseEdit } from '../../protocol/support/refused-edit.ts';
import { callPortUpdate, type PortableError, type PortCall, type PortOutcome } from './port-calls.ts';

/**
 * Hosts the ports of a turn as `turnWorkflow` does, without a protocol: tests call them by updates. It runs until it is
 * terminated.
 */
export const portHostWorkflow = async (input: TurnInput): Promise<void> => {
  const cancellationScope = new CancellationScope();
  const steering = new TurnSteering();
  const run: TurnRun = {
    input,
    turnLog: new TurnLog(),
    traces: new TraceCarrier({ now: () => Date.now() }),
    state: new TurnState(input),
    openWaits: new OpenWaits(),
    resolutions: new ResolutionCarrier(),
    steering,
    cancellation: {
      get isRequested() {
        return cancellationScope.consideredCancelled;
      },
    },
  };
  const writeSessions = new ActivityBackedWriteSessions(run);
  const inputs = new ActivityBackedInputs(
    run,
    input.inputs ?? { approvals: { rules: [], setting: 'never' }, expiryMs: 0 },
  );
  const model = new ActivityBackedModel(run);
  const tools = new ActivityBackedTools(run, model.declarations, writeSessions);
  registerRunHandlers(run, cancellationScope);
  registerSessionHandlers(writeSessions, inputs.replies);
  registerReplyHandlers(inputs.replies);
  registerSteerHandlers(steering);
  const ports = { model, tools, inputs, writeSessions };
  setHandler(callPortUpdate, ({ port, method, args }) =>
    settled(() => cancellationScope.run(async () => callMethod(ports[port], method, args))),
  );
  await condition(() => false);
};

/** Calls a method. A request gets the function by which it refuses edits here, since no function can travel. */
const callMethod = (port: object, method: string, args: PortCall['args']): unknown => {
  const [first, ...rest] = args;
  const given = method === 'prepare' ? [{ ...(first as object), refusalFor: refuseEdit }, ...rest] : args;
  const called = Reflect.get(port, method) as (...args: readonly unknown[]) => unknown;
  return called.apply(port, [...given]);
};

const settled = async (work: () => Promise<unknown>): Promise<PortOutcome> => {
  try {
    return { kind: 'returned', value: withPortableError(await work()) };
  } catch (error) {
    return { kind: 'threw', error: portableError(error) };
  }
};

/** Returns the value with its `error` as data, if it has one: the answer of a model call that failed for good has. */
const withPortableError = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'error' in value && value.error instanceof Error
    ? { ...value, error: portableError(value.error) }
    : value;

const portableError = (error: unknown): PortableError => {
  const { name = 'Error', code } = fieldsOf(error);
  return { name: String(name), message: errorMessage(error), ...(code !== undefined && { code }) };
};
