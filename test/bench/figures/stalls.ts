import { longestStall } from '../../support/longest-stall.ts';
import {
  openHostileGround,
  WORST_CASES,
  type HostileGround,
  type WorstCase,
} from '../../support/worst-cases.ts';
import type { Figure } from '../figure.ts';
import { rounded } from '../report.ts';

const RUNS = { full: 5, quick: 1 };
/** Milliseconds. */
const BAR = 100;

const worstOf = async (ground: HostileGround, { run }: WorstCase, runs: number): Promise<number> => {
  const stalls: number[] = [];
  for (let i = 0; i < runs; i += 1) stalls.push(await longestStall(() => run(ground)));
  return Math.max(...stalls);
};

/** What somebody can ask of a worker in its worst form, and for how long its other turns stand still. */
export const stalls: Figure = {
  name: 'stalls',
  title: "Longest stall of a worker's event loop under the worst input of each kind (ms)",
  async measure({ quick }) {
    const ground = await openHostileGround();
    try {
      const rows: { name: string; stall: number }[] = [];
      for (const one of WORST_CASES) {
        const stall = await worstOf(ground, one, quick ? RUNS.quick : RUNS.full);
        rows.push({ name: `${one.input}: ${one.what}`, stall });
      }
      return {
        columns: ['input', 'longest'],
        rows: rows.map(({ name, stall }) => [name, rounded(stall)]),
        checks: rows.map(({ name, stall }) => ({
          what: name,
          value: stall,
          bar: BAR,
          side: 'at most',
          unit: ' ms',
        })),
      };
    } finally {
      await ground.close();
    }
  },
};
