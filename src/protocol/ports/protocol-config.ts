import type { Budgets } from '../../contracts/turn/budgets.ts';

/** Budgets and the other settings of a run; absent fields have the defaults of docs/protocol.md. */
export type ProtocolConfig = Partial<Budgets> & {
  readonly toolResultRole?: 'tool' | 'system';
  /** Temperature of every model call of the run, 0 to 2. Absent means that of the mode. */
  readonly temperature?: number | undefined;
  /** Number of tools that the run may execute in all, whatever it is granted. Absent means 50. */
  readonly maxPhaseCyclesLimit?: number | undefined;
  /** Answers that are forced after the run's time is over. Absent means as many as there are messages of the user. */
  readonly maxLateAnswers?: number | undefined;
};
