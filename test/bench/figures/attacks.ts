import { setTimeout as delay } from 'node:timers/promises';
import { ask, type Answer } from '../arms/ask.ts';
import type { OrionArm } from '../arms/orion-arm.ts';
import type { Attack } from '../attacks/attack.ts';
import { Attacker } from '../attacks/attacker.ts';
import { attacks } from '../attacks/attacks.ts';
import type { SharedGateway } from '../attacks/shared-gateway.ts';
import type { Figure } from '../figure.ts';
import { endingAfter } from '../model.ts';
import { residentMiB } from '../process-memory.ts';
import { atMost, rounded } from '../report.ts';
import { quantile } from '../statistics.ts';
import { readLags } from '../timed-text.ts';

const QUESTION = 'Talk for a second.';
const CHUNKS_PER_SECOND = 50;
const CHUNKS = 50;
/**
 * The interval between turns of all four keys together; each key stays below the default limit of 60 turns a minute.
 */
const TURN_EVERY_MS = 300;
const SECONDS = { full: 20, quick: 6 };
const SAMPLE_MS = 100;
/** The attack runs for this long before the first turn is counted. */
const BEFORE_MS = 1_000;
const AFTER_MS = 2_000;
/** An answer takes a second; one that takes longer than this counts as failed. */
const GIVE_UP_MS = 15_000;
const BARS = { firstTokenRatio: 3, lagP99: 50, growthMiB: 300 };

interface Phase {
  readonly name: string;
  readonly asked: number;
  readonly failed: readonly string[];
  /** The milliseconds until the first token of each turn. */
  readonly firstTokens: readonly number[];
  readonly lags: readonly number[];
  /** The growth of the process that grew most, in MiB. */
  readonly growthMiB: number;
  /** The number of processes that ran before the attack and no longer run. */
  readonly restarted: number;
}

/**
 * Asks one question after the other, with each of the well-behaved keys in turn, whether or not the earlier ones are
 * answered.
 */
const askAll = async (
  arms: readonly OrionArm[],
  milliseconds: number,
): Promise<PromiseSettledResult<Answer>[]> => {
  const asked: Promise<Answer>[] = [];
  const end = performance.now() + milliseconds;
  for (let n = 0; performance.now() < end; n += 1) {
    const arm = arms[n % arms.length];
    if (arm) asked.push(ask(arm, QUESTION, AbortSignal.timeout(GIVE_UP_MS)));
    await delay(TURN_EVERY_MS);
  }
  return Promise.allSettled(asked);
};

const memoryOf = (pids: Iterable<number>): Map<number, number> =>
  new Map(
    [...pids].flatMap((pid) => {
      try {
        return [[pid, residentMiB(pid)] as const];
      } catch {
        return [];
      }
    }),
  );

/** Watches the processes of the stack; `end` returns the growth of the one that grew most, and how many have ended. */
const watch = async (shared: SharedGateway) => {
  const before = memoryOf((await shared.processes()).keys());
  let growth = 0;
  const sample = (): void => {
    for (const [pid, now] of memoryOf(before.keys())) {
      growth = Math.max(growth, now - (before.get(pid) ?? now));
    }
  };
  const sampling = setInterval(sample, SAMPLE_MS);
  return {
    async end() {
      clearInterval(sampling);
      const still = await shared.processes();
      return { growthMiB: growth, restarted: [...before.keys()].filter((pid) => !still.has(pid)).length };
    },
  };
};

const measurePhase = async (name: string, shared: SharedGateway, milliseconds: number): Promise<Phase> => {
  const watched = await watch(shared);
  const settled = await askAll(shared.workers, milliseconds);
  const answers = settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const failed = settled.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []));
  const { growthMiB, restarted } = await watched.end();
  return {
    name,
    asked: settled.length,
    failed,
    firstTokens: answers.map(({ pieces, askedAt }) => (pieces[0]?.at ?? Infinity) - askedAt),
    lags: answers.flatMap(({ pieces }) => readLags(pieces)),
    growthMiB,
    restarted,
  };
};

const at = (values: readonly number[], p: number): number =>
  values.length === 0
    ? Number.POSITIVE_INFINITY
    : quantile(
        values.toSorted((a, b) => a - b),
        p,
      );

const rowOf = (phase: Phase): string[] => [
  phase.name,
  String(phase.asked),
  String(phase.failed.length),
  rounded(at(phase.firstTokens, 0.5)),
  rounded(at(phase.firstTokens, 0.95)),
  rounded(at(phase.lags, 0.5)),
  rounded(at(phase.lags, 0.99)),
  rounded(phase.growthMiB),
  String(phase.restarted),
];

const worst = (phases: readonly Phase[], value: (phase: Phase) => number): number =>
  Math.max(...phases.map(value));

const reportOf = (quiet: Phase, attacked: readonly Phase[]) => ({
  columns: ['', 'turns', 'failed', 'first p50', 'first p95', 'lag p50', 'lag p99', '+ MiB', 'restarts'],
  rows: [quiet, ...attacked].map(rowOf),
  checks: [
    atMost(
      'turns of the others that failed',
      attacked.reduce((sum, { failed }) => sum + failed.length, 0),
      0,
    ),
    atMost(
      'first token p95, worst attack ÷ quiet',
      worst(attacked, ({ firstTokens }) => at(firstTokens, 0.95)) / at(quiet.firstTokens, 0.95),
      BARS.firstTokenRatio,
      '×',
    ),
    atMost(
      'chunk lag p99, worst attack',
      worst(attacked, ({ lags }) => at(lags, 0.99)),
      BARS.lagP99,
      ' ms',
    ),
    atMost(
      'memory of a process, worst attack',
      worst(attacked, ({ growthMiB }) => growthMiB),
      BARS.growthMiB,
      ' MiB more',
    ),
    atMost(
      'processes that were restarted',
      attacked.reduce((sum, { restarted }) => sum + restarted, 0),
      0,
    ),
  ],
  notes: [...new Set(attacked.flatMap(({ failed }) => failed))].slice(0, 5),
});

/** Returns the attacks whose names contain one of the parts. Throws when there are none. */
const chosenOf = (parts: readonly string[] | undefined): readonly Attack[] => {
  const chosen = attacks.filter(({ name }) => parts?.some((part) => name.includes(part)) ?? true);
  if (chosen.length > 0) return chosen;
  throw new Error(`--attack: expected a part of one of ${attacks.map(({ name }) => name).join(', ')}`);
};

export const attacksFigure: Figure = {
  name: 'attacks',
  title: 'One key does its worst, the others work: first token, chunk lag (ms), memory, restarts',
  async measure({ isQuick, attack, ground, sharedGateway }) {
    const chosen = chosenOf(attack);
    const { model } = await ground();
    const shared = await sharedGateway();
    const milliseconds = (isQuick ? SECONDS.quick : SECONDS.full) * 1000;
    const good = {
      match: { user: QUESTION },
      responses: [endingAfter([{ chunks: CHUNKS, perSecond: CHUNKS_PER_SECOND }])],
      repeat: true,
    };
    await model.follow([good, ...chosen.flatMap(({ rules = [] }) => rules)]);
    const attacker = await Attacker.start();
    try {
      await measurePhase('warm-up', shared, milliseconds / 2);
      const quiet = await measurePhase('quiet', shared, milliseconds);
      const attacked: Phase[] = [];
      for (const { name } of chosen) {
        attacker.begin(name, shared.attacker);
        await delay(BEFORE_MS);
        attacked.push(await measurePhase(name, shared, milliseconds));
        await attacker.end();
        await delay(AFTER_MS);
      }
      return reportOf(quiet, attacked);
    } finally {
      attacker.stop();
    }
  },
};
