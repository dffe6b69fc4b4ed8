import { errorMessage } from '../../contracts/values/error-message.ts';
import { withTimeout } from '../requests/database-read.ts';

/** Each probe resolves when what it asks answers, and otherwise throws the reason. */
export interface ReadinessProbes {
  temporal(): Promise<void>;
  /** Checks that a worker polls the task queue. */
  worker(): Promise<void>;
  database(): Promise<void>;
  /**
   * Checks that the directories can be written to that gateways and workers share: content store and drafts, and the
   * projects' files.
   */
  data(): Promise<void>;
  workspace(): Promise<void>;
  /** Checks that the disks have room, so that a turn is not refused with `storage_full`. */
  storage(): Promise<void>;
}

/** Milliseconds after which a probe counts as failed, whatever it waits for. */
export const PROBE_DEADLINE_MS = 1_500;

/** Each thing a gateway depends on by name, with `ok` or what is wrong with it. */
export type ReadinessReport = Readonly<Record<keyof ReadinessProbes, string>>;

/** Milliseconds for which an answer counts: clients without a key cause no more than one round of probes a second. */
const FRESH_MS = 1_000;

/** Runs the probes at most once a second, one round at a time; a request that comes meanwhile shares its answer. */
export const createReadiness = (
  probes: ReadinessProbes,
  now: () => number,
): (() => Promise<ReadinessReport>) => {
  let answer: Promise<ReadinessReport> | undefined;
  let askedAt = 0;
  let isAsking = false;
  return () => {
    if (answer && (isAsking || now() - askedAt < FRESH_MS)) return answer;
    isAsking = true;
    askedAt = now();
    answer = checkReadiness(probes).finally(() => (isAsking = false));
    return answer;
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
