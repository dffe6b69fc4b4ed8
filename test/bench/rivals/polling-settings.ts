/** The parts of the polling arm share this file; the workflow sandbox loads it, so it imports nothing of Node. */
export const POLLING_TASK_QUEUE = 'bench-polling';
export const INTERVAL_MS = 100;

export interface Progress {
  readonly text: string;
  readonly done: boolean;
}
