import { availableParallelism, cpus, loadavg } from 'node:os';
import type { Bench, Figure } from './figure.ts';
import type { Arm } from './arms/arm.ts';
import { startCloud } from './cloud.ts';
import { startSharedGateway, type SharedGateway } from './attacks/shared-gateway.ts';
import { arrivals } from './figures/arrivals.ts';
import { attacksFigure } from './figures/attacks.ts';
import { chunkLag } from './figures/chunk-lag.ts';
import { cloud } from './figures/cloud.ts';
import { coreTests } from './figures/core-tests.ts';
import { durability } from './figures/durability.ts';
import { edit } from './figures/edit.ts';
import { fanOut } from './figures/fan-out.ts';
import { finalize } from './figures/finalize.ts';
import { firstToken } from './figures/first-token.ts';
import { otherGateway } from './figures/other-gateway.ts';
import { page } from './figures/page.ts';
import { longPrompt } from './figures/long-prompt.ts';
import { prompt } from './figures/prompt.ts';
import { promptCache } from './figures/prompt-cache.ts';
import { reply } from './figures/reply.ts';
import { saturation } from './figures/saturation.ts';
import { stalls } from './figures/stalls.ts';
import { search } from './figures/search.ts';
import { steer } from './figures/steer.ts';
import { longFile } from './figures/long-file.ts';
import { storedBytes } from './figures/stored-bytes.ts';
import { temporalCost } from './figures/temporal-cost.ts';
import { traceCost } from './figures/trace-cost.ts';
import { traceReads } from './figures/trace-reads.ts';
import { waiting } from './figures/waiting.ts';
import { workerKill } from './figures/worker-kill.ts';
import { startGround, type Ground } from './ground.ts';
import { readOptions, type BenchOptions } from './options.ts';
import { BenchProcesses } from './processes.ts';
import { createRandom } from '../support/random.ts';
import { formatReport, passes } from './report.ts';

/** The kills come last because they leave restarted processes behind. */
const FIGURES: readonly Figure[] = [
  coreTests,
  search,
  stalls,
  page,
  prompt,
  promptCache,
  storedBytes,
  longPrompt,
  firstToken,
  chunkLag,
  temporalCost,
  traceCost,
  traceReads,
  longFile,
  edit,
  finalize,
  reply,
  steer,
  waiting,
  durability,
  saturation,
  arrivals,
  cloud,
  otherGateway,
  attacksFigure,
  fanOut,
  workerKill,
];
/** Above this load average something else runs on the machine, and the times say nothing about Orion. */
const QUIET_LOAD = 1;

const write = (text: string): void => void process.stdout.write(`${text}\n`);

const describeMachine = ({ seed, isQuick }: BenchOptions): string => {
  const load = loadavg()[0] ?? 0;
  const machine = `${availableParallelism()} × ${cpus()[0]?.model.trim() ?? 'unknown'}, Node ${process.version}`;
  const busy = load > QUIET_LOAD ? ' — THE MACHINE IS BUSY: these times are worthless' : '';
  return `${machine}, load ${load.toFixed(2)}${busy}\nseed ${seed}${isQuick ? ', quick: nothing is judged' : ''}\n`;
};

type Outcome = 'kept' | 'missed' | 'not measured';

const measure = async (figure: Figure, bench: Bench): Promise<Outcome> => {
  try {
    const report = await figure.measure(bench);
    write(formatReport(figure.title, report));
    return report.checks.every(passes) ? 'kept' : 'missed';
  } catch (error) {
    bench.signal.throwIfAborted();
    write(
      `${figure.title}\n  could not be measured: ${error instanceof Error ? error.stack : String(error)}\n`,
    );
    return 'not measured';
  }
};

/** Measures one figure after the other; a figure that fails does not prevent the others. */
const measureAll = async (figures: readonly Figure[], bench: Bench): Promise<Outcome[]> => {
  const outcomes: Outcome[] = [];
  for (const figure of figures) outcomes.push(await measure(figure, bench));
  return outcomes;
};

const run = async (options: BenchOptions, signal: AbortSignal): Promise<Outcome[]> => {
  const figures = FIGURES.filter(({ name }) => options.only?.includes(name) ?? true);
  const processes = await BenchProcesses.open();
  let ground: Promise<Ground> | undefined;
  let far: Promise<readonly Arm[]> | undefined;
  let shared: Promise<SharedGateway> | undefined;
  const bench: Bench = {
    isQuick: options.isQuick,
    attack: options.attack,
    random: createRandom(options.seed),
    signal,
    processes,
    ground: () => (ground ??= startGround(processes)),
    cloud: () => (far ??= bench.ground().then((on) => startCloud(processes, on))),
    sharedGateway: () => (shared ??= bench.ground().then((on) => startSharedGateway(processes, on))),
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

const stopping = new AbortController();

/**
 * Runs `npm run bench [-- --quick] [--only <figure>] [--attack <part of a name>] [--seed <n>]`. Resolves to 0 when
 * every bar is kept and 1 otherwise. A quick run fails only when something could not be measured.
 */
const main = async (): Promise<number> => {
  const options = readOptions(
    process.argv.slice(2),
    FIGURES.map(({ name }) => name),
  );
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => stopping.abort(new Error(`stopped by ${signal}`)));
  }
  write(describeMachine(options));
  const outcomes = await run(options, stopping.signal);
  const good: readonly Outcome[] = options.isQuick ? ['kept', 'missed'] : ['kept'];
  return outcomes.every((outcome) => good.includes(outcome)) ? 0 : 1;
};

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    const why = error instanceof Error && !stopping.signal.aborted ? error.stack : error;
    process.stderr.write(`bench: ${String(why)}\n`);
    process.exit(1);
  },
);
