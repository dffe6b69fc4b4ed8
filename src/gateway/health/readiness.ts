import { errorMessage } from '../../contracts/values/error-message.ts';
import { withTimeout } from '../requests/database-read.ts';

/** Each resolves when what it asks answers, and throws why not otherwise. */
export interface ReadinessProbes {
  temporal(): Promise<void>;
  /** Somebody polls the task queue. */
  worker(): Promise<void>;
  database(): Promise<void>;
  /** Directories that gateways and workers share can be written to: content store and drafts, the projects' files. */
  data(): Promise<void>;
  workspace(): Promise<void>;
  /** Checks that the disks have room: a turn is not refused with `storage_full`. */
  storage(): Promise<void>;
}

/** Milliseconds after which a probe counts as failed, whatever it waits for. */
export const PROBE_DEADLINE_MS = 1_500;

/** Each thing a gateway depends on by name, with `ok` or what is wrong with it. */
export type ReadinessReport = Readonly<Record<keyof ReadinessProbes, string>>;

/** An answer counts so long: whoever asks without a key costs no more than one round of questions a second. */
const FRESH_MS = 1_000;

/** Asks at most once a second, one round at a time; whoever comes meanwhile shares its answer. */
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
