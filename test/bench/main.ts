import { availableParallelism, cpus, loadavg } from 'node:os';
import type { Bench, Figure } from './figure.ts';
import { chunkLag } from './figures/chunk-lag.ts';
import { coreTests } from './figures/core-tests.ts';
import { firstToken } from './figures/first-token.ts';
import { temporalCost } from './figures/temporal-cost.ts';
import { workerKill } from './figures/worker-kill.ts';
import { startGround, type Ground } from './ground.ts';
import { readOptions, type BenchOptions } from './options.ts';
import { BenchProcesses } from './processes.ts';
import { createRandom } from './random.ts';
import { formatReport, passes } from './report.ts';

/** The kills come last: they leave restarted workers behind. */
const FIGURES: readonly Figure[] = [coreTests, firstToken, chunkLag, temporalCost, workerKill];
/** Above it something else runs, and the times say nothing about Orion. */
const QUIET_LOAD = 1;

const write = (text: string): void => void process.stdout.write(`${text}\n`);

const describeMachine = ({ seed, quick }: BenchOptions): string => {
  const load = loadavg()[0] ?? 0;
  const machine = `${availableParallelism()} × ${cpus()[0]?.model.trim() ?? 'unknown'}, Node ${process.version}`;
  const busy = load > QUIET_LOAD ? ' — THE MACHINE IS BUSY: these times are worthless' : '';
  return `${machine}, load ${load.toFixed(2)}${busy}\nseed ${seed}${quick ? ', quick: nothing is judged' : ''}\n`;
};

/** Measures and prints one figure after the other; resolves to whether all bars were kept. */
const measureAll = async (figures: readonly Figure[], bench: Bench): Promise<boolean> => {
  let kept = true;
  for (const figure of figures) {
    bench.signal.throwIfAborted();
    const report = await figure.measure(bench);
    write(formatReport(figure.title, report));
    kept &&= report.checks.every(passes);
  }
  return kept;
};

const run = async (options: BenchOptions, signal: AbortSignal): Promise<boolean> => {
  const figures = FIGURES.filter(({ name }) => options.only?.includes(name) ?? true);
  const processes = await BenchProcesses.open();
  let ground: Promise<Ground> | undefined;
  const bench: Bench = {
    quick: options.quick,
    random: createRandom(options.seed),
    signal,
    ground: () => (ground ??= startGround(processes)),
  };
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  try {
    return await Promise.race([measureAll(figures, bench), aborted]);
  } finally {
    await processes.stop();
  }
};

/** `npm run bench [-- --quick] [--only <figure>] [--seed <n>]`: 0 when every bar is kept, 1 otherwise. */
const main = async (): Promise<number> => {
  const options = readOptions(
    process.argv.slice(2),
    FIGURES.map(({ name }) => name),
  );
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => stopping.abort(new Error(`stopped by ${signal}`)));
  write(describeMachine(options));
  const kept = await run(options, stopping.signal);
  return kept || options.quick ? 0 : 1;
};

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`bench: ${error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(1);
  },
);
