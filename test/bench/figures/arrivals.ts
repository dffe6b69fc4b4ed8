import { setTimeout as delay } from 'node:timers/promises';
import type { Arm } from '../arms/arm.ts';
import { ask, RefusedError } from '../arms/ask.ts';
import { CHUNKS_PER_SECOND } from '../crowd.ts';
import type { Figure } from '../figure.ts';
import { endingAfter } from '../model.ts';
import { shuffle } from '../../support/random.ts';
import { atMost, rounded, type Check } from '../report.ts';
import { quantile, summarize } from '../statistics.ts';

const PER_SECOND = { full: [1, 5, 10, 15, 20], quick: [2] };
const SECONDS = { full: 20, quick: 3 };
/** Each turn streams for a second. */
const CHUNKS = 50;
const WARM_UP_TURNS = 20;
const REST_MS = 3_000;
const GIVE_UP_MS = 30_000;
/** The judged load in turns a second and the bars of docs/performance.md in milliseconds. */
const JUDGED = { perSecond: 15, firstTokenP95: 250, refusalP95: 100 };

interface Arrivals {
  readonly arm: Arm['name'];
  readonly perSecond: number;
  readonly firstTokens: readonly number[];
  /** The milliseconds until each answer 503 was complete. */
  readonly refusals: readonly number[];
  readonly failures: readonly string[];
}

type Outcome =
  { readonly firstToken: number } | { readonly refusedAfter: number } | { readonly failure: string };

const askOnce = async (arm: Arm): Promise<Outcome> => {
  try {
    const { askedAt, pieces } = await ask(arm, 'Talk for a second.', AbortSignal.timeout(GIVE_UP_MS));
    return { firstToken: (pieces[0]?.at ?? Infinity) - askedAt };
  } catch (error) {
    if (error instanceof RefusedError && error.status === 503) return { refusedAfter: error.after };
    return { failure: String(error) };
  }
};

/** Starts turns at the moments of a Poisson process, whether or not the earlier ones have ended. */
const arrive = async (
  arm: Arm,
  perSecond: number,
  seconds: number,
  random: () => number,
): Promise<Arrivals> => {
  const asked: Promise<Outcome>[] = [];
  const start = performance.now();
  for (let at = 0; ;) {
    at += (-Math.log(1 - random()) / perSecond) * 1000;
    if (at >= seconds * 1000) break;
    await delay(Math.max(0, start + at - performance.now()));
    asked.push(askOnce(arm));
  }
  const outcomes = await Promise.all(asked);
  return {
    arm: arm.name,
    perSecond,
    firstTokens: outcomes.flatMap((outcome) => ('firstToken' in outcome ? [outcome.firstToken] : [])),
    refusals: outcomes.flatMap((outcome) => ('refusedAfter' in outcome ? [outcome.refusedAfter] : [])),
    failures: outcomes.flatMap((outcome) => ('failure' in outcome ? [outcome.failure] : [])),
  };
};

const p95 = (values: readonly number[]): number =>
  values.length === 0
    ? 0
    : quantile(
        values.toSorted((a, b) => a - b),
        0.95,
      );

const rowOf = ({ arm, perSecond, firstTokens, refusals, failures }: Arrivals): string[] => {
  const first = firstTokens.length === 0 ? undefined : summarize(firstTokens);
  return [
    arm,
    String(perSecond),
    String(firstTokens.length),
    first ? rounded(first.p50) : '-',
    first ? rounded(first.p95) : '-',
    String(refusals.length),
    refusals.length === 0 ? '-' : rounded(p95(refusals)),
    String(failures.length),
  ];
};

const checksOf = (all: readonly Arrivals[]): Check[] => {
  const orion = all.filter(({ arm }) => arm === 'orion');
  const judged = orion.find(({ perSecond }) => perSecond === JUDGED.perSecond);
  return [
    ...(judged
      ? [
          atMost(
            `orion, ${JUDGED.perSecond}/s: first token p95`,
            p95(judged.firstTokens),
            JUDGED.firstTokenP95,
            ' ms',
          ),
        ]
      : []),
    atMost(
      'orion, 503 answered, p95',
      p95(orion.flatMap(({ refusals }) => refusals)),
      JUDGED.refusalP95,
      ' ms',
    ),
    atMost('orion, turns that failed otherwise', orion.flatMap(({ failures }) => failures).length, 0, ''),
  ];
};

export const arrivals: Figure = {
  name: 'arrivals',
  title: 'Turns that arrive by chance, each of a second: first token, refusals (ms)',
  async measure({ isQuick, random, ground }) {
    const { model, arms } = await ground();
    const [rates, seconds] = isQuick ? [PER_SECOND.quick, SECONDS.quick] : [PER_SECOND.full, SECONDS.full];
    await model.answerAll(endingAfter([{ chunks: CHUNKS, perSecond: CHUNKS_PER_SECOND }]));
    const measured = arms.filter(({ name }) => name === 'bare' || name === 'orion');
    for (const arm of measured) await arrive(arm, WARM_UP_TURNS / 2, 2, random);
    const all: Arrivals[] = [];
    for (const perSecond of rates) {
      for (const arm of shuffle(measured, random)) {
        all.push(await arrive(arm, perSecond, seconds, random));
        await delay(REST_MS);
      }
    }
    return {
      columns: ['arm', 'a second', 'answered', 'first p50', 'first p95', '503', '503 p95', 'failed'],
      rows: all.map(rowOf),
      checks: checksOf(all),
      notes: [...new Set(all.flatMap(({ failures }) => failures))].slice(0, 5),
    };
  },
};
