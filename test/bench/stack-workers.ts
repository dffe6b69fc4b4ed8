import type { Client } from '@temporalio/client';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { OrionArm } from './arms/orion-arm.ts';
import { processesOfRole } from './stack-processes.ts';

const READY_TIMEOUT_MS = 30_000;
/** The value of temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY. */
const ACTIVITY_QUEUE = 2;

/** The worker processes that the supervisor keeps running, by the identity under which they poll. */
export class StackWorkers {
  readonly #orion: OrionArm;
  readonly #temporal: Client;

  constructor(orion: OrionArm, temporal: Client) {
    this.#orion = orion;
    this.#temporal = temporal;
  }

  /** Returns the process that runs the only pending activity of a workflow. Throws when there is none. */
  async runningActivityOf(workflowId: string): Promise<number> {
    const { raw } = await this.#temporal.workflow.getHandle(workflowId).describe();
    const identity = raw.pendingActivities?.[0]?.lastWorkerIdentity ?? 'nobody';
    const pid = (await this.#pids()).get(identity);
    if (pid === undefined) {
      throw new Error(`${workflowId}: expected a worker process, its activity runs on ${identity}`);
    }
    return pid;
  }

  /** Resolves when `count` workers poll; rejects after 30 s. */
  async untilPolling(count: number): Promise<void> {
    const deadline = performance.now() + READY_TIMEOUT_MS;
    for (;;) {
      const [pids, pollers] = await Promise.all([this.#pids(), this.#pollers()]);
      if ([...pids.keys()].filter((identity) => pollers.has(identity)).length >= count) return;
      if (performance.now() > deadline) {
        throw new Error(`expected ${count} polling workers, found ${pids.size}`);
      }
      await delay(100);
    }
  }

  async #pids(): Promise<Map<string, number>> {
    const pids = await processesOfRole(this.#orion, 'worker');
    const named = await Promise.all(pids.map(async (pid) => [await identityOf(pid), pid] as const));
    return new Map(named);
  }

  async #pollers(): Promise<Set<string>> {
    const { pollers } = await this.#temporal.workflowService.describeTaskQueue({
      namespace: this.#temporal.options.namespace,
      taskQueue: { name: this.#orion.taskQueue },
      taskQueueType: ACTIVITY_QUEUE,
    });
    return new Set(pollers.map(({ identity }) => identity ?? ''));
  }
}

/** Reads a worker's identity from proc(5), because only its supervisor, which chose it, knows it. */
const identityOf = async (pid: number): Promise<string> => {
  const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
  return /(?:^|\0)ORION_WORKER_IDENTITY=([^\0]*)/.exec(environment)?.[1] ?? '';
};
