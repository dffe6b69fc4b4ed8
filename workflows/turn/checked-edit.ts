import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { InputActivities } from '../../activities/inputs/input-activities.ts';
import type { TurnInput } from '../../src/contracts/payload/turn-workflow-payloads.ts';
import type { ToolCall } from '../../src/contracts/tools/tool-call.ts';
import { CHECK_INPUT_OPTIONS } from '../sdk/activity-options.ts';
import { replyRefusalFailure } from './reply-handlers.ts';

const { checkInput } = proxyActivities<Pick<InputActivities, 'checkInput'>>(CHECK_INPUT_OPTIONS);

/** Arguments with which a person wants a call to run instead, after a worker has found them valid. */
export interface CheckedEdit {
  /** The arguments as JSON text. */
  readonly text: string;
  readonly argsHash: string;
}

/** The request whose call is edited: the call as it was shown, and the hash that it had then. */
interface EditedRequest {
  readonly spec: { readonly call?: ToolCall };
  readonly argsHash: string | undefined;
}

/**
 * Lets a worker check the arguments of the reply `edit`. If the worker finds that they may not run, calls `onRefused`
 * and throws the ApplicationFailure of a reply that does not count. Throws the same failure, without that call, for a
 * request that is not about a tool call.
 */
export const checkEdit = async (
  { turnId, projectId, mode }: Pick<TurnInput, 'turnId' | 'projectId' | 'mode'>,
  { spec, argsHash }: EditedRequest,
  editedArguments: object,
  onRefused: () => void,
): Promise<CheckedEdit> => {
  const text = JSON.stringify(editedArguments);
  if (!spec.call || argsHash === undefined) {
    throw replyRefusalFailure('validation_failed', 'reply: there is no call.');
  }
  const asked = { call: spec.call, argsHash };
  const call: ToolCall = { ...spec.call, function: { ...spec.call.function, arguments: text } };
  const { firstExecutionRunId } = workflowInfo();
  const result = await checkInput({ turnId, projectId, firstExecutionRunId, mode, call, asked });
  if (result.kind !== 'passes') onRefused();
  switch (result.kind) {
    case 'passes':
      return { text, argsHash: result.argsHash };
    case 'changed':
      throw replyRefusalFailure('input_changed', 'The file changed after it was shown.');
    case 'failed':
      throw replyRefusalFailure('validation_failed', `arguments: ${result.error}`);
    default:
      return result satisfies never;
  }
};
