import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import { bundleWorkflowCode } from '@temporalio/worker';
import type { TurnInput } from '../../../src/contracts/payload/turn-workflow-payloads.ts';
import { turnErrorCodeSchema } from '../../../src/contracts/wire/turn-event.ts';
import type { InputPort } from '../../../src/protocol/ports/input-port.ts';
import { type ModelAnswer, ModelCallError, type ModelPort } from '../../../src/protocol/ports/model-port.ts';
import type { ToolExecutor } from '../../../src/protocol/ports/tool-executor.ts';
import type { WriteSessionPort } from '../../../src/protocol/ports/write-session-port.ts';
import { cancelTurnSignal } from '../../../src/temporal/turn-messages.ts';
import type { WorkerActivities } from '../../../worker/worker-options.ts';
import { newTurnInput, TurnWorker } from '../../support/turn-worker.ts';
import { activitiesByTurn } from '../../support/use-turn-worker.ts';
import { callPortUpdate, type PortableError, type PortCall } from './port-calls.ts';

/** The workflows that a worker keeps between two tasks. No test needs more, and the others replay no history. */
const CACHED_WORKFLOWS = 100;

/** The activity-backed ports of one turn, called from outside of its workflow. */
export interface HostedPorts {
  readonly turnId: string;
  readonly handle: WorkflowHandle;
  readonly model: ModelPort;
  readonly tools: Pick<ToolExecutor, 'executeToolCalls'>;
  readonly inputs: Pick<InputPort, 'prepare' | 'wait'>;
  readonly writeSessions: Pick<WriteSessionPort, 'keep' | 'withdraw'>;
  /** Calls a method that answers at once inside the workflow. */
  ask(port: PortCall['port'], method: string, ...args: readonly unknown[]): Promise<unknown>;
  /** Cancels the turn as its user does. */
  cancel(): Promise<void>;
}

/** Starts a turn with these activities and resolves to its ports. An activity gets them by the function `turn`. */
export type HostPorts = (
  activities: (turn: () => HostedPorts) => WorkerActivities,
  more?: Partial<TurnInput>,
) => Promise<HostedPorts>;

/**
 * Gives the tests of a file one worker on the real server, for turns whose ports a test calls itself. Returns the
 * function that starts such a turn.
 */
export const useHostedPorts = (): HostPorts => {
  const scripts = new Map<string, WorkerActivities>();
  const handles: WorkflowHandle[] = [];
  let worker: TurnWorker | undefined;
  beforeAll(async () => {
    const workflowsPath = fileURLToPath(new URL('port-host-workflow.ts', import.meta.url));
    const bundle = await bundleWorkflowCode({ workflowsPath, logger: quiet });
    const queue = `ports-${process.pid}-${Date.now()}`;
    const activities = activitiesByTurn(scripts);
    worker = await TurnWorker.start(activities, {
      maxCachedWorkflows: CACHED_WORKFLOWS,
      taskQueue: queue,
      bundle,
    });
  });
  afterAll(async () => {
    await Promise.all(handles.map((handle) => handle.terminate()));
    await worker?.stop();
  });
  return async (activities, more) => {
    if (!worker) throw new Error('expected a worker, which the tests of the file share');
    const input = newTurnInput(more);
    scripts.set(
      input.turnId,
      activities(() => ports),
    );
    const start = { workflowId: `ports/${input.turnId}`, taskQueue: worker.taskQueue, args: [input] };
    const handle = await worker.client.workflow.start('portHostWorkflow', start);
    handles.push(handle);
    const ports = portsOf(input.turnId, handle);
    return ports;
  };
};

const portsOf = (turnId: string, handle: WorkflowHandle): HostedPorts => {
  const ask: HostedPorts['ask'] = async (port, method, ...args) => {
    const outcome = await handle.executeUpdate(callPortUpdate, { args: [{ port, method, args }] });
    if (outcome.kind === 'returned') return outcome.value;
    throw errorOf(outcome.error);
  };
  return {
    turnId,
    handle,
    model: {
      callModel: async (...args) => {
        const answer = (await ask('model', 'callModel', ...args)) as ModelAnswer;
        return answer.error === undefined ? answer : { ...answer, error: errorOf(answer.error) };
      },
    },
    tools: {
      executeToolCalls: (...args) =>
        ask('tools', 'executeToolCalls', ...args) as ReturnType<ToolExecutor['executeToolCalls']>,
    },
    inputs: {
      prepare: (...args) => ask('inputs', 'prepare', ...args) as ReturnType<InputPort['prepare']>,
      wait: (...args) => ask('inputs', 'wait', ...args) as ReturnType<InputPort['wait']>,
    },
    writeSessions: {
      keep: (...args) => ask('writeSessions', 'keep', ...args) as ReturnType<WriteSessionPort['keep']>,
      withdraw: (...args) =>
        ask('writeSessions', 'withdraw', ...args) as ReturnType<WriteSessionPort['withdraw']>,
    },
    ask,
    cancel: () => handle.signal(cancelTurnSignal),
  };
};

/** Returns what a port threw. Of its classes only `ModelCallError` means something to the core. */
const errorOf = ({ name, message, code }: PortableError): Error => {
  const known = turnErrorCodeSchema.safeParse(code);
  if (name === 'ModelCallError' && known.success) return new ModelCallError(known.data, message);
  return Object.assign(new Error(message), { name });
};

const silent = (): void => undefined;
const quiet = { log: silent, trace: silent, debug: silent, info: silent, warn: silent, error: silent };
