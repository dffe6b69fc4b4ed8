import type { SharedGateway } from './attacks/shared-gateway.ts';
import type { Arm } from './arms/arm.ts';
import type { Ground } from './ground.ts';
import type { BenchProcesses } from './processes.ts';
import type { Report } from './report.ts';

export interface Bench {
  readonly isQuick: boolean;
  /** Parts of the names of the attacks to measure; undefined for all attacks. */
  readonly attack: readonly string[] | undefined;
  /** Decides every random order; it depends only on the seed. */
  readonly random: () => number;
  /** Aborted when the run has to end. */
  readonly signal: AbortSignal;
  /** Starts the processes that a figure needs in addition to the shared ones. */
  readonly processes: BenchProcesses;
  /** Starts model, Temporal and arms at the first call; later calls return the same. */
  ground(): Promise<Ground>;
  /** Starts a stack that several keys share at the first call; later calls return the same. */
  sharedGateway(): Promise<SharedGateway>;
  /** Starts a stack whose Temporal server is far away at the first call; later calls return the same. */
  cloud(): Promise<readonly Arm[]>;
}

/** One figure that is measured and judged by the bars of docs/performance.md. */
export interface Figure {
  /** The name by which `--only` selects the figure. */
  readonly name: string;
  readonly title: string;
  measure(bench: Bench): Promise<Report>;
}
