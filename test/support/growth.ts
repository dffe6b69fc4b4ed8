import { cpuAdjustedNow } from './own-time.ts';

const RUNS = 5;

/**
 * Resolves to how many times as long `work` takes with `large` as with `small`, on any machine. The fastest of `RUNS`
 * runs of each counts, because others may have been held up. `small` has to take milliseconds, so that the clock does
 * not decide.
 */
export const growthOf = async <T>(
  work: (input: T) => unknown,
  { small, large }: { readonly small: T; readonly large: T },
): Promise<number> => {
  const fastest = async (input: T): Promise<number> => {
    const times: number[] = [];
    for (let run = 0; run < RUNS; run += 1) {
      const startedAt = cpuAdjustedNow();
      await work(input);
      times.push(cpuAdjustedNow() - startedAt);
    }
    return Math.min(...times);
  };
  return (await fastest(large)) / (await fastest(small));
};
