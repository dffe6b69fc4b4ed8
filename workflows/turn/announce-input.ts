import { log as workflowLog, proxyActivities } from '@temporalio/workflow';
import type { InputActivities } from '../../activities/inputs/input-activities.ts';
import type { AnnounceInputRequestInput } from '../../src/contracts/payload/input-activity-payloads.ts';
import { toolLabel } from '../../src/contracts/tools/tool-name.ts';
import { isoTime } from '../../src/contracts/values/iso-time.ts';
import type { InputRequestSpec } from '../../src/protocol/ports/input-port.ts';
import { inputRequestOptions, START_TO_CLOSE_SET_PER_CALL } from '../sdk/activity-options.ts';
import type { TurnRun } from './turn-run.ts';
import { isTurnSuperseded } from './superseded-run.ts';
import { takeActivityInput } from './activity-input.ts';

const { announceInput } =
  proxyActivities<Pick<InputActivities, 'announceInput'>>(START_TO_CLOSE_SET_PER_CALL);

/** An input request whose row `prepareInput` has stored. */
export interface PreparedInputRequest {
  readonly n: number;
  readonly inputId: string;
  readonly spec: InputRequestSpec;
  /** Hash of what the request shows. Undefined if there is nothing to approve. */
  readonly argsHash: string | undefined;
  /** Beginning of the request's subject, for Temporal's own tools. */
  readonly excerpt: string | undefined;
  /** When the request expires, in milliseconds since 1970. */
  readonly expiresAt: number;
}

/**
 * Asks people about a request whose event is already written. Returns false if the turn must not wait for a reply,
 * because too many turns of the same key wait, the write session has ended, or the activity has failed. Throws when the
 * turn was cancelled or superseded.
 */
export const announceRequest = async (
  run: TurnRun,
  { n, inputId, spec, expiresAt }: PreparedInputRequest,
  event: Pick<AnnounceInputRequestInput, 'message' | 'default'>,
): Promise<boolean> => {
  const request = {
    ...takeActivityInput(run),
    n,
    ...event,
    expiresAt: isoTime(expiresAt),
    ...(spec.session && { sessionId: spec.session.sessionId }),
  };
  const options = inputRequestOptions(`announce ${inputId}`, spec.deadline - Date.now());
  try {
    const announced = await run.openWaits.for(`a request: activity announceInput ${inputId}`, () =>
      announceInput.executeWithOptions(options, [request]),
    );
    return announced === 'open';
  } catch (error) {
    if (isTurnSuperseded(error) || run.cancellation.isRequested) throw error;
    workflowLog.warn('a request could not be announced', { inputId, reason: String(error) });
    return false;
  }
};

/** Returns what a request is about: the tool of its call, or its kind if it has no call. */
export const subjectOf = ({ kind, call }: InputRequestSpec): string =>
  call ? toolLabel(call.function.name) : kind;
