import type { Budgets } from '../../contracts/turn/budgets.ts';

/** Budgets and the other settings of a run. Absent fields have the defaults of `protocolConfigSchema`. */
export type ProtocolConfig = Partial<Budgets> & {
  readonly toolResultRole?: 'tool' | 'system';
  /**
   * Temperature of every model call of the run, 0 to 2. Absent means the default of the mode: 0.7 for `plan`, 0.3 for
   * `act`.
   */
  readonly temperature?: number | undefined;
  /** The most tools that the run may execute in all, grants included. Absent means 50. */
  readonly maxPhaseCyclesLimit?: number | undefined;
  /**
   * The most answers that are forced after the run's time is over. Absent means one, and one for each later message of
   * the user.
   */
  readonly maxLateAnswers?: number | undefined;
};
