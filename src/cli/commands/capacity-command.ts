import { DAY_MS } from '../../contracts/values/units.ts';
import type { CommandNamed } from '../args/command.ts';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import { jsonLine, type OutputStream } from '../render/output.ts';

/**
 * The needs of a turn of 1,000 tokens in 20 s, as measured in docs/performance.md. A test compares the page with these
 * figures.
 */
export const MEASURED_TURN = {
  seconds: 20,
  actions: 15,
  historyBytes: 18_095,
  gatewayCpuSeconds: 0.22,
  workerCpuSeconds: 0.43,
  databaseBytes: 40_600,
  /** Largest number of turns that one installation can run at once. */
  maxConcurrentTurns: 300,
} as const;

/**
 * List price of Temporal Cloud for a million actions in US dollars: the first of its tiers, without storage and plan.
 */
const DOLLARS_PER_MILLION = 50;
const SECONDS_PER_DAY = DAY_MS / 1_000;
const DAYS = 30;
/** Share of a core that a process may use at the peak. Above it, answers would wait for each other. */
const MAX_CPU_SHARE = 0.5;
/** Smallest number of gateways, and of workers, so that one of each can be replaced while the other serves. */
const MIN_PROCESSES = 2;

/**
 * The estimated needs of a number of turns. Processes and rates are those at the peak. `actions` and `dollars` are
 * those of 30 days.
 */
export interface CapacityEstimate {
  readonly turnsPerDay: number;
  readonly peak: number;
  readonly turnsPerSecond: number;
  readonly atOnce: number;
  readonly installations: number;
  readonly gateways: number;
  readonly workers: number;
  readonly actionsPerSecond: number;
  readonly actions: number;
  readonly dollars: number;
  readonly databaseBytesPerDay: number;
  readonly historyBytesPerDay: number;
}

/**
 * Estimates from `MEASURED_TURN` what turns need. `peak` is the number of turns in the busiest minute, as a multiple of
 * the mean.
 */
export const estimateCapacity = ({
  turnsPerDay,
  peak,
}: Pick<CapacityEstimate, 'turnsPerDay' | 'peak'>): CapacityEstimate => {
  const turnsPerSecond = (turnsPerDay / SECONDS_PER_DAY) * peak;
  const atOnce = Math.ceil(turnsPerSecond * MEASURED_TURN.seconds);
  const actions = turnsPerDay * DAYS * MEASURED_TURN.actions;
  return {
    turnsPerDay,
    peak,
    turnsPerSecond,
    atOnce,
    installations: Math.max(1, Math.ceil(atOnce / MEASURED_TURN.maxConcurrentTurns)),
    gateways: processesFor(turnsPerSecond * MEASURED_TURN.gatewayCpuSeconds),
    workers: processesFor(turnsPerSecond * MEASURED_TURN.workerCpuSeconds),
    actionsPerSecond: turnsPerSecond * MEASURED_TURN.actions,
    actions,
    dollars: (actions / 1e6) * DOLLARS_PER_MILLION,
    databaseBytesPerDay: turnsPerDay * MEASURED_TURN.databaseBytes,
    historyBytesPerDay: turnsPerDay * MEASURED_TURN.historyBytes,
  };
};

const processesFor = (cores: number): number => Math.max(MIN_PROCESSES, Math.ceil(cores / MAX_CPU_SHARE));

/** Runs `orion capacity`: prints how many processes, Temporal actions and bytes a number of turns a day needs. */
export const runCapacity = (
  stdout: OutputStream,
  { turnsPerDay, peak, printsJson }: CommandNamed<'capacity'>,
): ExitCode => {
  const estimate = estimateCapacity({ turnsPerDay, peak });
  stdout.write(printsJson ? jsonLine(estimate) : `${capacityLines(estimate).join('\n')}\n`);
  return EXIT.done;
};

const capacityLines = (estimate: CapacityEstimate): readonly string[] => [
  `${formatNumber(estimate.turnsPerDay)} turns a day of 1,000 tokens in ${MEASURED_TURN.seconds} s, ${formatNumber(estimate.peak)} times the mean at the peak:`,
  `  at the peak     ${formatNumber(estimate.turnsPerSecond)} turns a second, ${formatNumber(estimate.atOnce)} at once`,
  `  installations   ${formatNumber(estimate.installations)} (one runs ${MEASURED_TURN.maxConcurrentTurns} turns at once)`,
  `  gateways        ${formatNumber(estimate.gateways)} processes, in all`,
  `  workers         ${formatNumber(estimate.workers)} processes, in all`,
  `  Temporal        ${formatNumber(estimate.actionsPerSecond)} actions a second at the peak, ${formatNumber(estimate.actions)} in ${DAYS} days`,
  `  Temporal Cloud  $${formatNumber(estimate.dollars)} for them at $${DOLLARS_PER_MILLION} a million, without storage and plan`,
  `  Postgres        ${formatGigabytes(estimate.databaseBytesPerDay)} a day; traces and event segments of it go after ORION_RETENTION_DAYS`,
  `  histories       ${formatGigabytes(estimate.historyBytesPerDay)} a day in Temporal, for as long as its namespace retains them`,
  'Turns that run tools or write files need more of all: docs/performance.md has the figures, `orion trace` those of a turn.',
];

const formatGigabytes = (bytes: number): string => `${formatNumber(bytes / 1e9)} GB`;

const formatNumber = (value: number): string =>
  value.toLocaleString('en-US', value < 10 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 0 });
