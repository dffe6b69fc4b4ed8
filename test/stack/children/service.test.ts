/** Covers, with real processes, what the supervisor does when one of them dies, freezes or does not start. */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ChildHandle, ChildRegistry } from '../../../src/stack/processes/child.ts';
import { readStartTime } from '../../../src/stack/processes/process-identity.ts';
import { createProcessesFile } from '../../../src/stack/processes/processes-file.ts';
import type { SupervisedService } from '../../../src/stack/children/service.ts';
import { createQueue, type Queue } from '../support/queue.ts';
import { steadyService, type SteadyServiceOptions } from '../support/steady-service.ts';

let folder: string;
let registry: ChildRegistry;
let started: Queue<number>;
let services: SupervisedService[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orion-stack-'));
  const reapList = { add: () => undefined, remove: () => undefined, close: () => undefined };
  registry = { processes: createProcessesFile(folder), reapList };
  started = createQueue();
  services = [];
});
afterEach(async () => {
  await Promise.all(services.map((service) => service.stop()));
  rmSync(folder, { recursive: true, force: true });
});

const create = (options: Partial<SteadyServiceOptions> = {}): SupervisedService => {
  const service = steadyService({ folder, registry, onStart: started.add, ...options });
  services.push(service);
  return service;
};

const listed = (): unknown => JSON.parse(readFileSync(join(folder, 'processes.json'), 'utf8'));

describe('a service', () => {
  it('is started again when it is killed, and says how it ended', async () => {
    const lost = createQueue<string>();
    await create({ onLost: ({ how }) => lost.add(how) }).start();
    const first = await started.next();
    process.kill(first, 'SIGKILL');
    expect(await lost.next()).toBe('signal SIGKILL');
    const second = await started.next();
    expect(second).not.toBe(first);
    expect(listed()).toEqual([{ role: 'worker', pid: second }]);
  });

  it('that cannot be entered in the list of processes does not start', async () => {
    const begun: number[] = [];
    const { reapList, processes } = registry;
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    const add = (): void => {
      throw full;
    };
    const counting = { ...reapList, add: (pid: number) => void begun.push(pid) };
    registry = { processes: { ...processes, add }, reapList: counting };
    await expect(create().start()).rejects.toBe(full);
    expect(begun).toHaveLength(1);
    expect(readStartTime(begun[0] ?? 0)).toBeUndefined();
  });

  it('that is frozen is killed and started again', async () => {
    const lines = createQueue<string>();
    await create({ log: lines.add }).start();
    const first = await started.next();
    process.kill(first, 'SIGSTOP');
    expect(await lines.next()).toBe(`process ${first} is frozen: 20 pings unanswered; killing it`);
    expect(await started.next()).not.toBe(first);
    expect(readStartTime(first)).toBeUndefined();
  });

  it('that answers its pings is kept', async () => {
    const children = createQueue<ChildHandle>();
    await create({ isReady: async (child) => children.add(child) }).start();
    const { pid, process: child } = await children.next();
    // This is more than the number of pongs that may be missed.
    for (let pongs = 0; pongs < 25; pongs += 1) await once(child, 'message');
    expect(readStartTime(pid)).toBeDefined();
  });

  it('that does not start fails with the end of its log', async () => {
    await expect(create({ child: 'failing' }).start()).rejects.toThrow(
      /worker did not start: ended before it was ready: exit code 3[^]*cannot find the sea/,
    );
  });

  it('that never becomes ready fails when its time is over, and is gone after stop', async () => {
    const service = create({ readyTimeoutMs: 1 });
    await expect(service.start()).rejects.toThrow('not ready after 1 ms');
    await service.stop();
    expect(listed()).toEqual([]);
  });

  it('that ignores its signal is killed after its grace period', async () => {
    const service = create({ child: 'stubborn', graceMs: 100 });
    await service.start();
    const pid = await started.next();
    await service.stop();
    expect(readStartTime(pid)).toBeUndefined();
  });

  it('that does not serve yet gets less time, and all of it once it serves', async () => {
    const heard = createQueue<number>();
    const never = async ({ pid, exited }: ChildHandle): Promise<void> => {
      heard.add(pid);
      await exited;
      throw new Error('ended');
    };
    const graces = { child: 'stubborn', graceMs: 100_000, startingGraceMs: 100 };
    const service = create({ ...graces, isReady: never });
    const failed = service.start().catch(String);
    const pid = await heard.next();
    const since = performance.now();
    await service.stop();
    expect(performance.now() - since).toBeLessThan(50_000);
    expect(readStartTime(pid)).toBeUndefined();
    expect(await failed).toContain('worker did not start: ended');
    const served = create({ ...graces, graceMs: 1_000, startingGraceMs: 0 });
    await served.start();
    const stoppedAt = performance.now();
    await served.stop();
    expect(performance.now() - stoppedAt).toBeGreaterThan(900);
  });

  it('is not started again once it was stopped', async () => {
    const service = create();
    await service.start();
    await started.next();
    await Promise.all([service.stop(), service.stop()]);
    expect(listed()).toEqual([]);
    await expect(service.start()).rejects.toThrow('stopped');
  });

  it('leaves nothing behind when it is stopped while it starts', async () => {
    const service = create();
    const starting = service.start();
    await service.stop();
    await expect(starting).rejects.toThrow('worker did not start: ended before it was ready');
    expect(listed()).toEqual([]);
  });
});
