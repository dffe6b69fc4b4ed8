/** What the parts of the polling rival share; the workflow sandbox reads it, so nothing of Node. */
export const POLLING_TASK_QUEUE = 'bench-polling';
export const INTERVAL_MS = 100;

export interface Progress {
  readonly text: string;
  readonly done: boolean;
}
