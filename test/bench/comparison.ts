import type { Arm } from './arms/arm.ts';
import { shuffle } from '../support/random.ts';
import { rounded, type Check, type Report } from './report.ts';
import { summarize, type Summary } from './statistics.ts';

type ArmName = Arm['name'];

/**
 * Runs every arm once per block, in a random order within each block, so that disturbances of the machine affect all
 * arms alike. Returns what `measure` has returned, by arm.
 */
export const inRandomBlocks = async <A extends Pick<Arm, 'name'>>(
  arms: readonly A[],
  blocks: number,
  random: () => number,
  measure: (arm: A) => Promise<readonly number[]>,
): Promise<Map<ArmName, number[]>> => {
  const samples = new Map<ArmName, number[]>(arms.map(({ name }) => [name, []]));
  for (let block = 0; block < blocks; block += 1) {
    for (const arm of shuffle(arms, random)) samples.get(arm.name)?.push(...(await measure(arm)));
  }
  return samples;
};

export type Summaries = Readonly<Record<ArmName, Summary>>;

export const summarizeArms = (samples: ReadonlyMap<ArmName, readonly number[]>): Summaries => {
  const of = (name: ArmName): Summary => summarize(samples.get(name) ?? []);
  return { proxy: of('proxy'), bare: of('bare'), orion: of('orion'), polling: of('polling') };
};

/** Returns the table of a figure in milliseconds, in which every arm stands beside the bare proxy. */
export const comparisonTable = (summaries: Summaries): Pick<Report, 'columns' | 'rows'> => {
  const { proxy } = summaries;
  const row = (name: ArmName): string[] => {
    const { n, p50, p95, p99 } = summaries[name];
    const more = [p50 - proxy.p50, p95 - proxy.p95, p99 - proxy.p99].map(rounded).join(' / ');
    return [name, String(n), ...[p50, p95, p99].map(rounded), more, `${rounded(p50 / proxy.p50)}×`];
  };
  return {
    columns: ['arm', 'N', 'p50', 'p95', 'p99', '− proxy p50 / p95 / p99', '÷ proxy p50'],
    rows: [row('proxy'), row('bare'), row('orion'), row('polling')],
  };
};

/** Returns a check that Orion is at most `bar` milliseconds slower than another arm. */
export const slowerThan = (
  rival: 'proxy' | 'bare',
  summaries: Summaries,
  quantile: 'p50' | 'p95' | 'p99',
  bar: number,
): Check => ({
  what: `orion − ${rival}, ${quantile}`,
  value: summaries.orion[quantile] - summaries[rival][quantile],
  bar,
  side: 'at most',
  unit: ' ms',
});
