import { setTimeout as delay } from 'node:timers/promises';
import { longestStall } from '../../support/longest-stall.ts';
import {
  openHostileGround,
  WORST_CASES,
  type HostileGround,
  type WorstCase,
} from '../../support/worst-cases.ts';
import type { Attack } from '../attacks/attack.ts';
import { Attacker } from '../attacks/attacker.ts';
import { worstRequests } from '../attacks/worst-requests.ts';
import type { Bench, Figure } from '../figure.ts';
import { rounded } from '../report.ts';

const RUNS = { full: 5, quick: 1 };
/** The bars of docs/performance.md in milliseconds. */
const BARS = { worker: 100, gateway: 50 };
/** For how many milliseconds one request is sent again and again. */
const ATTACK_MS = { full: 5_000, quick: 1_000 };
/** The milliseconds between two probes of the gateway. */
const LOOK_EVERY_MS = 1;

interface Stall {
  readonly of: keyof typeof BARS;
  readonly input: string;
  /** The longest stall in milliseconds. */
  readonly longest: number;
}

const worstOf = async (ground: HostileGround, { run }: WorstCase, runs: number): Promise<number> => {
  const stalls: number[] = [];
  for (let i = 0; i < runs; i += 1) stalls.push(await longestStall(() => run(ground)));
  return Math.max(...stalls);
};

const stallsOfWorker = async ({ isQuick }: Bench): Promise<Stall[]> => {
  const ground = await openHostileGround();
  try {
    const stalls: Stall[] = [];
    for (const one of WORST_CASES) {
      const longest = await worstOf(ground, one, isQuick ? RUNS.quick : RUNS.full);
      stalls.push({ of: 'worker', input: `${one.input}: ${one.what}`, longest });
    }
    return stalls;
  } finally {
    await ground.close();
  }
};

/**
 * Returns the longest time in milliseconds that a gateway took for the cheapest request, which it answers in the next
 * turn of its event loop.
 */
const longestLook = async (url: string, milliseconds: number): Promise<number> => {
  let longest = 0;
  for (const end = performance.now() + milliseconds; performance.now() < end; await delay(LOOK_EVERY_MS)) {
    const asked = performance.now();
    await (await fetch(`${url}/health`)).arrayBuffer();
    longest = Math.max(longest, performance.now() - asked);
  }
  return longest;
};

const stallsOfGateway = async (bench: Bench): Promise<Stall[]> => {
  const [{ model }, { attacker: target }] = [await bench.ground(), await bench.sharedGateway()];
  const attacker = await Attacker.start();
  const milliseconds = bench.isQuick ? ATTACK_MS.quick : ATTACK_MS.full;
  const stallUnder = async ({ name, rules = [] }: Attack): Promise<Stall> => {
    await model.follow(rules);
    attacker.begin(name, target);
    const longest = await longestLook(target.baseUrl, milliseconds);
    await attacker.end();
    return { of: 'gateway', input: name, longest };
  };
  try {
    const quiet = await longestLook(target.baseUrl, milliseconds);
    const stalls: Stall[] = [{ of: 'gateway', input: 'gateway: nothing at all', longest: quiet }];
    for (const request of worstRequests) stalls.push(await stallUnder(request));
    return stalls;
  } finally {
    attacker.stop();
  }
};

/**
 * Measures for how long other turns stand still while somebody sends the most expensive requests to a worker or a
 * gateway.
 */
export const stalls: Figure = {
  name: 'stalls',
  title: 'Longest stall of an event loop under the worst input of each kind (ms)',
  async measure(bench) {
    const rows = [...(await stallsOfWorker(bench)), ...(await stallsOfGateway(bench))];
    return {
      columns: ['input', 'longest'],
      rows: rows.map(({ input, longest }) => [input, rounded(longest)]),
      checks: rows.map(({ of, input, longest }) => ({
        what: input,
        value: longest,
        bar: BARS[of],
        side: 'at most',
        unit: ' ms',
      })),
    };
  },
};
