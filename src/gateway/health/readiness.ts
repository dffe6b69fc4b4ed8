import { withTimeout } from '../../base/timing/with-timeout.ts';
import { errorMessage } from '../../contracts/values/error-message.ts';

/** The probes of what a gateway depends on. Each resolves if that works, and otherwise rejects with the reason. */
export interface ReadinessProbes {
  /** Checks that Temporal answers. */
  temporal(): Promise<void>;
  /** Checks that a worker polls the task queue. */
  worker(): Promise<void>;
  /** Checks that Postgres answers a query. */
  database(): Promise<void>;
  /** Checks that the data directory can be written to. Gateways and workers share its content store and its drafts. */
  data(): Promise<void>;
  /** Checks that the files of the projects can be written to. */
  workspace(): Promise<void>;
  /** Checks that the disks have room, so that a turn is not refused with `storage_full`. */
  storage(): Promise<void>;
}

/** Milliseconds after which a probe counts as failed, even if nothing was answered. */
export const PROBE_DEADLINE_MS = 1_500;

/** The result of each probe: `ok`, or the reason why it failed. */
export type ReadinessReport = Readonly<Record<keyof ReadinessProbes, string>>;

/**
 * Milliseconds for which a report is used again, so that clients without a key cause no more than one round of probes a
 * second.
 */
const FRESH_MS = 1_000;

/**
 * Creates a function that runs the probes, one round at a time and at most once a second. Calls that come meanwhile get
 * the same report. `now` returns milliseconds.
 */
export const createReadiness = (
  probes: ReadinessProbes,
  now: () => number,
): (() => Promise<ReadinessReport>) => {
  let report: Promise<ReadinessReport> | undefined;
  let askedAt = 0;
  let isAsking = false;
  return () => {
    if (report && (isAsking || now() - askedAt < FRESH_MS)) return report;
    isAsking = true;
    askedAt = now();
    report = checkReadiness(probes).finally(() => (isAsking = false));
    return report;
  };
};

const checkReadiness = async (probes: ReadinessProbes): Promise<ReadinessReport> => {
  const [temporal, worker, database, data, workspace, storage] = await Promise.all([
    check(() => probes.temporal()),
    check(() => probes.worker()),
    check(() => probes.database()),
    check(() => probes.data()),
    check(() => probes.workspace()),
    check(() => probes.storage()),
  ]);
  return { temporal, worker, database, data, workspace, storage };
};

const check = (probe: () => Promise<void>): Promise<string> =>
  withTimeout(
    PROBE_DEADLINE_MS,
    probe().then(() => 'ok', errorMessage),
    () => `no answer within ${PROBE_DEADLINE_MS} ms`,
  );
