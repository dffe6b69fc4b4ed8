import { setTimeout as delay } from 'node:timers/promises';
import type { Arm } from '../arms/arm.ts';
import { CHUNKS_PER_SECOND, epochNow, answerLastingFor, streamTurns, msUntilTogether } from '../crowd.ts';
import type { Bench, Figure } from '../figure.ts';
import { cpuSeconds } from '../process-cpu.ts';
import { shuffle } from '../../support/random.ts';
import { atMost, rounded, type Check } from '../report.ts';
import { stackProcesses } from '../stack-processes.ts';
import { summarize, type Summary } from '../statistics.ts';

const TURNS = { full: [20, 50, 100, 200, 300], quick: [5, 10] };
const WINDOW_MS = { full: 8_000, quick: 1_000 };
/** The pause in milliseconds after which timers, history and vacuum of one crowd no longer affect the next one. */
const REST_MS = 3_000;
/** The crowd that is judged and the bars of docs/performance.md. */
const JUDGED = { turns: 200, lagP99: 50, timesLagP50: 3, timesCpu: 3 };

interface Crowd {
  readonly arm: Arm['name'];
  readonly turns: number;
  readonly lag: Summary;
  /** The CPU milliseconds for 1,000 chunks by role; processes of the same role are added up. */
  readonly cpu: ReadonlyMap<string, number>;
}

/** Returns the processes that produce the chunks of an arm, by process id. */
const processesOf = async (arm: Arm['name'], bench: Bench): Promise<Map<number, string>> => {
  const { orion, pids } = await bench.ground();
  const started = pids();
  const named = (name: string): [number, string][] => {
    const pid = started.get(name);
    return pid === undefined ? [] : [[pid, name]];
  };
  if (arm !== 'orion') return new Map(named(`rival-${arm}`));
  const entries = await stackProcesses(orion);
  return new Map([...entries.map(({ pid, role }) => [pid, role] as const), ...named('temporal')]);
};

const measureCrowd = async (bench: Bench, arm: Arm, turns: number, windowMs: number): Promise<Crowd> => {
  const processes = await processesOf(arm.name, bench);
  const streaming = streamTurns(arm, turns);
  // The promise is awaited below; a turn that fails early must not end the run before that.
  streaming.catch(() => undefined);
  await delay(msUntilTogether(turns));
  const [from, before] = [epochNow(), cpuSeconds(processes.keys())];
  await delay(windowMs);
  const [to, after] = [epochNow(), cpuSeconds(processes.keys())];
  const lags = (await streaming).filter(({ sentAt }) => sentAt >= from && sentAt < to).map(({ lag }) => lag);
  const cpu = new Map<string, number>();
  for (const [pid, role] of processes) {
    const seconds = (after.get(pid) ?? 0) - (before.get(pid) ?? 0);
    cpu.set(role, (cpu.get(role) ?? 0) + (seconds * 1e6) / lags.length);
  }
  return { arm: arm.name, turns, lag: summarize(lags), cpu };
};

const ROLES = ['gateway', 'worker', 'postgres', 'supervisor', 'temporal'];

/** Returns the CPU time without Temporal, a separate server that others may run elsewhere. */
const ownCpu = ({ cpu }: Crowd): number =>
  [...cpu].reduce((sum, [role, milliseconds]) => sum + (role === 'temporal' ? 0 : milliseconds), 0);

const rowOf = (crowd: Crowd): string[] => [
  crowd.arm,
  String(crowd.turns),
  String(crowd.lag.n),
  ...[crowd.lag.p50, crowd.lag.p95, crowd.lag.p99, ownCpu(crowd)].map(rounded),
  ...ROLES.map((role) => rounded(crowd.cpu.get(role) ?? 0)),
];

const checksOf = (crowds: readonly Crowd[]): Check[] => {
  const at = (arm: Arm['name']) => crowds.find((crowd) => crowd.arm === arm && crowd.turns === JUDGED.turns);
  const [orion, proxy] = [at('orion'), at('proxy')];
  if (!orion || !proxy) return [];
  const named = (what: string) => `${JUDGED.turns} turns: ${what}`;
  return [
    atMost(named('orion, lag p99'), orion.lag.p99, JUDGED.lagP99, ' ms'),
    atMost(named('orion ÷ proxy, lag p50'), orion.lag.p50 / proxy.lag.p50, JUDGED.timesLagP50, '×'),
    atMost(named('orion ÷ proxy, CPU per chunk'), ownCpu(orion) / ownCpu(proxy), JUDGED.timesCpu, '×'),
  ];
};

export const saturation: Figure = {
  name: 'saturation',
  title: `Turns at once at ${CHUNKS_PER_SECOND} chunks/s: chunk lag (ms), CPU ms per 1,000 chunks`,
  async measure(bench) {
    const { model, arms } = await bench.ground();
    const [sizes, windowMs] = bench.isQuick ? [TURNS.quick, WINDOW_MS.quick] : [TURNS.full, WINDOW_MS.full];
    const measured = arms.filter(({ name }) => name === 'proxy' || name === 'orion');
    const crowds: Crowd[] = [];
    for (const turns of sizes) {
      await model.answerAll(answerLastingFor(turns, windowMs));
      for (const arm of shuffle(measured, bench.random)) {
        crowds.push(await measureCrowd(bench, arm, turns, windowMs));
        await delay(REST_MS);
      }
    }
    return {
      columns: ['arm', 'turns', 'N', 'p50', 'p95', 'p99', 'CPU', ...ROLES],
      rows: crowds.map(rowOf),
      checks: checksOf(crowds),
      notes: ['CPU: all processes of the arm but Temporal; of the proxy its one process.'],
    };
  },
};
