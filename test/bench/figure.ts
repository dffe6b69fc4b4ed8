import type { SharedGateway } from './attacks/shared-gateway.ts';
import type { Arm } from './arms/arm.ts';
import type { Ground } from './ground.ts';
import type { BenchProcesses } from './processes.ts';
import type { Report } from './report.ts';

export interface Bench {
  readonly quick: boolean;
  /** Parts of the names of the attacks to measure; undefined: all. */
  readonly attack: readonly string[] | undefined;
  /** Decides every order; follows from the seed. */
  readonly random: () => number;
  /** Aborted when the run is to end. */
  readonly signal: AbortSignal;
  /** For what a figure needs beside the grounds. */
  readonly processes: BenchProcesses;
  /** Starts model, Temporal and arms at the first call. */
  ground(): Promise<Ground>;
  /** Starts, at the first call, a stack that several keys share. */
  sharedGateway(): Promise<SharedGateway>;
  /** Starts, at the first call, a stack whose Temporal server is far away. */
  cloud(): Promise<readonly Arm[]>;
}

/** One thing that is measured and judged (bars: docs/performance.md). */
export interface Figure {
  /** For `--only`. */
  readonly name: string;
  readonly title: string;
  measure(bench: Bench): Promise<Report>;
}
