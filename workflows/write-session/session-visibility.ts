import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { WriteSessionInput } from '../../src/contracts/payload/session-workflow-payloads.ts';
import type { SessionStage } from '../../src/contracts/write-session/write-session.ts';
import { nextStep, statusOf, type SessionState } from '../../src/write-session/session-state.ts';
import { ORION_STATUS } from '../../src/contracts/payload/search-attribute-keys.ts';
import { escapeMarkdown } from '../sdk/escape-markdown.ts';
import { isoTime } from '../../src/contracts/values/iso-time.ts';

/** Shows Markdown in the Web UI's "current details": the stage of the session, and its end. */
export const showSession = (input: WriteSessionInput, state: SessionState): void => {
  const { stage, draft, expiresAt } = statusOf(state);
  const draftText = draft === null ? 'unknown' : `${draft.bytes} bytes, sha256 ${draft.sha256}`;
  setCurrentDetails(
    [
      `**${stage}**${state.closing === null ? '' : ` · closing as ${state.closing}`}`,
      '',
      `- ${input.operation} ${escapeMarkdown(input.targetFile)}`,
      `- draft: ${draftText}`,
      `- expires: ${isoTime(expiresAt)}`,
      ...(state.held === null ? [] : [`- waits for a reply to ${state.held.inputId}`]),
    ].join('\n'),
  );
};

/** Returns in words the stage of a session and what it waits for, as the answer to Temporal's stack-trace queries. */
export const sessionStackTrace = (state: SessionState): string[] => {
  const { stage, expiresAt } = statusOf(state);
  return [stage, waitedFor(state, isoTime(expiresAt))];
};

const waitedFor = (state: SessionState, expiry: string): string => {
  const step = nextStep(state);
  switch (step.kind) {
    case 'wait':
      return state.held === null
        ? `waiting for a finalize, a touch or a cancel, until ${expiry}`
        : `waiting for a reply to ${state.held.inputId}, until ${expiry}`;
    case 'commit':
      return 'waiting for the write: activity commitWrite';
    case 'close':
      return `waiting for its row to end as ${step.end}: activity closeWriteSession`;
    case 'ended':
      return 'waiting for nothing';
    default:
      return step satisfies never;
  }
};

/**
 * Shows the stage in which a session ended as a search attribute, if the namespace has Orion's. It is called once, at
 * the end, because visibility writes are billed.
 */
export const showStage = (input: WriteSessionInput, stage: SessionStage): void => {
  if (input.searchAttributes) upsertSearchAttributes([{ key: ORION_STATUS, value: stage }]);
};
