import { isOutcomeUnknown, type ToolDeclaration, type ToolResult } from '../../contracts/tools/tool-call.ts';
import type { PollComparison } from '../ports/tool-executor.ts';
import { comparableByTimestamps } from './poll-result.ts';
import { UnchangedPolls } from './unchanged-polls.ts';
import { comparableText, comparablePollText, fingerprint } from './result-fingerprint.ts';

/** The end of an execution, as far as the duplicate rule needs it. */
type CallOutcome = 'succeeded' | 'failed' | 'failed_transiently' | 'unknown';

/** All executions of one signature that a history knows. */
interface CallRecord {
  readonly signature: string;
  readonly effect: ToolDeclaration['effect'];
  /** True when the same call must not run again after it has succeeded (`idempotentHint: false`). */
  readonly mayRunOnlyOnce: boolean;
  /** Number of the latest execution of the call among all executions of the history: 1, 2, … 0 before the first. */
  lastRun: number;
  /** Number of the call's latest execution that succeeded. 0 if none has. */
  lastSuccess: number;
  lastOutcome: CallOutcome;
  /** True when the call ran again after a failure that may be temporary. It does so only once. */
  wasRetried: boolean;
  /** True when the call ran again after a failure because another call had succeeded since. It does so only once. */
  hasRunAfterSuccess: boolean;
  /** Fingerprints of all results of the call, the latest last. */
  resultFingerprints: string[];
  /** The latest results, compared with each other. Absent for calls other than polls. */
  readonly polls?: UnchangedPolls;
}

interface RepeatFacts {
  /** How the results of a poll are compared. Absent means `ignoring_timings`. */
  readonly pollComparison?: PollComparison | undefined;
  /** True when the call is a read and prompts leave out its result. */
  readonly isLeftOut?: boolean;
}

/**
 * Why a call may run.
 *
 * - `new`: it has not run yet.
 * - `reopened`: a write has run since, so its result or effect may be different now. If the call is a write itself,
 *   another write has succeeded since.
 * - `left_out`: it is a read, and prompts leave out its result.
 * - `poll`: it is a poll whose results still change, or that has not returned the same result too often.
 * - `after_success`: it failed, and another call has succeeded since. Allowed once.
 * - `retry`: its failure may be temporary. Allowed once.
 */
export type RepeatPermission = 'new' | 'reopened' | 'left_out' | 'poll' | 'after_success' | 'retry';

/** The facts of an execution for the no-progress rule (docs/protocol.md "What counts"). */
export interface CallProgress {
  /** True when the same signature gave this very result before. */
  readonly repeatsOwnResult: boolean;
  /** True when a call of the history gave this result before, polls not included. */
  readonly repeatsSomeResult: boolean;
  readonly isFirstSuccess: boolean;
}

/**
 * The calls that ran in this turn since its user last sent a message, and the rule by which a call may run again
 * (docs/protocol.md "Duplicates").
 */
export class CallHistory {
  readonly #records: CallRecord[] = [];
  readonly #denied: string[] = [];
  #executions = 0;

  /** Returns why the call may run. Returns undefined if it is a duplicate. */
  permissionFor(
    signature: string,
    { pollComparison = 'ignoring_timings', isLeftOut = false }: RepeatFacts = {},
  ): RepeatPermission | undefined {
    if (this.#denied.includes(signature)) return undefined;
    const record = this.#find(signature);
    if (!record) return 'new';
    if (record.lastOutcome === 'unknown') return undefined;
    if (record.polls?.mayRunAgain(pollComparison)) return 'poll';
    if (this.#isReopened(record)) return 'reopened';
    if (isLeftOut) return 'left_out';
    if (record.lastOutcome === 'succeeded') return undefined;
    if (!record.hasRunAfterSuccess && this.#hasOtherSuccessSince(record)) return 'after_success';
    return record.lastOutcome === 'failed_transiently' && !record.wasRetried ? 'retry' : undefined;
  }

  /** Reports whether what `permissionFor` returns for this call depends on `pollComparison`, as only a poll's can. */
  dependsOnPollComparison(signature: string): boolean {
    const record = this.#find(signature);
    if (!record || record.lastOutcome === 'unknown' || this.#denied.includes(signature)) return false;
    const { polls } = record;
    return polls?.mayRunAgain('including_timings') === true && !polls.mayRunAgain('ignoring_timings');
  }

  /** Notes that this call was denied. From now on the same call is a duplicate. */
  noteDenied(signature: string): void {
    this.#denied.push(signature);
  }

  /**
   * Returns the milliseconds to wait before a call runs. They are 0 unless it is a poll whose results no longer change,
   * otherwise 500 doubling to 5,000.
   */
  pollDelay(signature: string): number {
    return this.#find(signature)?.polls?.delayMs ?? 0;
  }

  /** Records an execution that `permission` allowed, and returns whether its result is new. */
  add(
    signature: string,
    declaration: ToolDeclaration,
    permission: RepeatPermission,
    result: ToolResult,
  ): CallProgress {
    const record = this.#find(signature) ?? this.#addRecord(signature, declaration);
    const resultFingerprint = fingerprint(comparableText(declaration, result));
    const progress = this.#progressOf(record, resultFingerprint, result.success);
    this.#executions += 1;
    record.resultFingerprints.push(resultFingerprint);
    record.polls?.add({
      ignoring_timings: resultFingerprint,
      including_timings: fingerprint(comparablePollText(comparableByTimestamps, declaration, result)),
    });
    record.wasRetried ||= permission === 'retry';
    record.hasRunAfterSuccess ||= permission === 'after_success';
    record.lastRun = this.#executions;
    record.lastOutcome = callOutcome(result);
    if (result.success) record.lastSuccess = this.#executions;
    return progress;
  }

  #find(signature: string): CallRecord | undefined {
    return this.#records.find((record) => record.signature === signature);
  }

  #addRecord(signature: string, { effect, idempotentHint }: ToolDeclaration): CallRecord {
    const record: CallRecord = {
      signature,
      effect,
      mayRunOnlyOnce: idempotentHint === false,
      lastRun: 0,
      lastSuccess: 0,
      lastOutcome: 'failed',
      wasRetried: false,
      hasRunAfterSuccess: false,
      resultFingerprints: [],
      ...(effect === 'poll' && { polls: new UnchangedPolls() }),
    };
    this.#records.push(record);
    return record;
  }

  /**
   * Reports whether a write has run since the call did, so that the call may have another effect or result now. Only a
   * write that succeeded reopens another write. A poll is never reopened, and neither is a write that must not run
   * twice.
   */
  #isReopened(record: CallRecord): boolean {
    const writes = this.#records.filter((other) => other.effect === 'write');
    if (record.effect === 'read') return writes.some((write) => write.lastRun > record.lastRun);
    if (record.effect === 'poll' || record.mayRunOnlyOnce) return false;
    return writes.some((write) => write !== record && write.lastSuccess > record.lastRun);
  }

  #hasOtherSuccessSince(record: CallRecord): boolean {
    return this.#records.some((other) => other !== record && other.lastSuccess > record.lastRun);
  }

  #progressOf(record: CallRecord, resultFingerprint: string, hasSucceeded: boolean): CallProgress {
    const others = this.#records.filter((other) => other.effect !== 'poll');
    return {
      repeatsOwnResult: record.resultFingerprints.includes(resultFingerprint),
      repeatsSomeResult: others.some((other) => other.resultFingerprints.includes(resultFingerprint)),
      isFirstSuccess: hasSucceeded && record.lastSuccess === 0,
    };
  }
}

const callOutcome = ({ success, error, retryable }: ToolResult): CallOutcome => {
  if (success) return 'succeeded';
  if (isOutcomeUnknown(error)) return 'unknown';
  return retryable === true ? 'failed_transiently' : 'failed';
};
