import { within } from './time-limit.ts';

/** Each resolves when the server answers, and throws why not otherwise. */
export interface ReadinessProbes {
  temporal(): Promise<void>;
  /** Somebody polls the task queue. */
  worker(): Promise<void>;
  database(): Promise<void>;
}

const PROBE_DEADLINE_MS = 1_500;

/** `ok`, or what is wrong. */
export type Readiness = Readonly<Record<keyof ReadinessProbes, string>>;

export const checkReadiness = async (probes: ReadinessProbes): Promise<Readiness> => {
  const [temporal, worker, database] = await Promise.all([
    check(() => probes.temporal()),
    check(() => probes.worker()),
    check(() => probes.database()),
  ]);
  return { temporal, worker, database };
};

const check = (probe: () => Promise<void>): Promise<string> =>
  within(
    PROBE_DEADLINE_MS,
    probe().then(() => 'ok', describeFailure),
    () => `no answer within ${PROBE_DEADLINE_MS} ms`,
  );

const describeFailure = (error: unknown): string => (error instanceof Error ? error.message : String(error));
