import { parseArgs } from 'node:util';

export interface BenchOptions {
  /** Whether there are few repetitions, which show that everything runs; nothing is judged. */
  readonly isQuick: boolean;
  /** The names of the figures to measure; undefined for all figures. */
  readonly only: readonly string[] | undefined;
  /** Parts of the names of the attacks to measure; undefined for all attacks. */
  readonly attack: readonly string[] | undefined;
  /** The seed of every random order. */
  readonly seed: number;
}

/**
 * Reads `--quick`, `--only <name>` and `--attack <part of a name>` (both repeatable), and `--seed <n>`. Throws on
 * anything else.
 */
export const readOptions = (args: readonly string[], known: readonly string[]): BenchOptions => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true },
      attack: { type: 'string', multiple: true },
      seed: { type: 'string' },
    },
  });
  const unknown = values.only?.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new Error(`--only: expected one of ${known.join(', ')}, received ${unknown}`);
  }
  const seed = values.seed === undefined ? Math.floor(Math.random() * 1e9) : Number(values.seed);
  if (!Number.isSafeInteger(seed) || seed < 0) {
    throw new Error(`--seed: expected a whole number, received ${values.seed}`);
  }
  return { isQuick: values.quick, only: values.only, attack: values.attack, seed };
};
