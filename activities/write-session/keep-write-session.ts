import { ApplicationFailure, Context, log } from '@temporalio/activity';
import type { KeepWriteSessionInput } from '../../src/contracts/payload/session-activity-payloads.ts';
import type { ContentRef } from '../../src/contracts/write-session/write-session.ts';
import type { FinalizeOutcome } from '../../src/contracts/write-session/session-messages.ts';
import { WRITE_SESSION_TEXTS } from '../../src/contracts/write-session/write-session-texts.ts';
import type { SegmentRepository } from '../../src/db/turns/segment-repository.ts';
import type { KeepOutcome } from '../../src/protocol/ports/write-session-port.ts';
import type { WriteSessions } from '../../src/write-session-service/write-sessions.ts';
import type { ContentStore, PutOutcome } from '../../src/files/content-store/content-store.ts';
import { readContent, type WrittenPhase } from '../../src/write-session/session-text.ts';
import { requireFirstRun } from '../attempt/first-run.ts';
import { withHeartbeat, type HeartbeatDeps } from '../attempt/heartbeat.ts';
import { ActivityTracer, type TracerDeps } from '../attempt/activity-tracer.ts';
import { withDatabaseRetries } from '../../src/db/connection/database-retries.ts';
import { type ResolutionDeps, storeResolutions } from '../turn/store-resolutions.ts';
import { openLatestLane, type LaneDeps } from '../turn/turn-lane.ts';

export interface KeepWriteSessionDeps extends LaneDeps, HeartbeatDeps, TracerDeps, ResolutionDeps {
  readonly segments: Pick<SegmentRepository, 'loadText'>;
  readonly contents: Pick<ContentStore, 'put' | 'forget'>;
  readonly writeSessions: Pick<WriteSessions, 'finalize' | 'touch' | 'readStatus'>;
}

/**
 * Creates the activity that ends a content phase (docs/write-sessions.md "In a turn"). The text of the turn's model
 * calls becomes the session's draft, or is committed. The activity joins the text with the same code as the workflow,
 * and fails if the result is not the workflow's content.
 */
export const createKeepWriteSession =
  (deps: KeepWriteSessionDeps) =>
  async (input: KeepWriteSessionInput): Promise<KeepOutcome> => {
    requireFirstRun(input);
    const { cancellationSignal } = Context.current();
    const tracer = new ActivityTracer(deps, input, 0);
    try {
      const outcome = await withHeartbeat(
        deps,
        () => undefined,
        async () => {
          // Before the commit, which may take minutes: the row of a request that was allowed would be open until then.
          await storeResolutions(deps, input);
          return withDatabaseRetries(() => keep(deps, input, cancellationSignal), cancellationSignal);
        },
      );
      await tellReaders(deps, input);
      return outcome;
    } finally {
      await tracer.close();
    }
  };

/**
 * Sends the prelude, which may say that the content is complete. This comes after the draft is stored, because a client
 * that finalizes by itself does so as soon as it has read the event, and must then find the draft.
 */
const tellReaders = (deps: LaneDeps, input: KeepWriteSessionInput): Promise<void> =>
  openLatestLane(deps, input).close();

const keep = async (
  deps: KeepWriteSessionDeps,
  input: KeepWriteSessionInput,
  signal: AbortSignal,
): Promise<KeepOutcome> => {
  const { text } = readContent(await loadPhases(deps, input));
  const put = await deps.contents.put(input.sessionId, inOnePiece(text), signal);
  if (put.kind !== 'stored') {
    return { kind: 'failed', code: 'validation_failed', reason: putRefusalText(put) };
  }
  if (put.content.sha256 !== input.content.sha256) throw otherContentFailure(put.content, input.content);
  return input.commit ? commit(deps, input, put.content) : keepDraft(deps, input, put.content);
};

const loadPhases = async (
  { segments }: KeepWriteSessionDeps,
  { turnId, phases }: KeepWriteSessionInput,
): Promise<WrittenPhase[]> => {
  const list: WrittenPhase[] = [];
  for (const { end, skip, source } of phases) {
    const said = 'text' in source ? source.text : await segments.loadText(turnId, source.epoch);
    list.push({ end, text: said.slice(skip) });
  }
  return list;
};

// oxlint-disable-next-line require-await -- an async source is what the store takes
const inOnePiece = async function* (text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
};

const putRefusalText = (put: Exclude<PutOutcome, { kind: 'stored' }>): string => {
  switch (put.kind) {
    case 'blank':
      return 'the content is blank';
    case 'too_large':
      return WRITE_SESSION_TEXTS.contentTooLarge;
    case 'invalid_text':
      return put.reason;
    default:
      return put satisfies never;
  }
};

/**
 * Returns the failure for content that is not what the workflow, and thus every reader, holds. That is a defect, so
 * nothing is committed and Temporal does not retry.
 */
const otherContentFailure = (found: ContentRef, expected: ContentRef): ApplicationFailure =>
  ApplicationFailure.nonRetryable(
    `write session content: expected sha256 ${expected.sha256} of ${expected.bytes} bytes, ` +
      `received ${found.sha256} of ${found.bytes}`,
    'content_mismatch',
  );

const keepDraft = async (
  { writeSessions, contents }: KeepWriteSessionDeps,
  { sessionId }: KeepWriteSessionInput,
  content: ContentRef,
): Promise<KeepOutcome> => {
  // If the session has ended, nothing else removes the content.
  if (!(await writeSessions.touch(sessionId, content))) await forget(contents, sessionId);
  return { kind: 'kept' };
};

/**
 * Removes the stored texts of a session. Failures are ignored, because texts that stay only take space, while an error
 * would repeat an activity that has already done its work.
 */
const forget = (contents: KeepWriteSessionDeps['contents'], sessionId: string): Promise<void> =>
  contents.forget(sessionId).catch(() => undefined);

const commit = async (
  deps: KeepWriteSessionDeps,
  input: KeepWriteSessionInput,
  content: ContentRef,
): Promise<KeepOutcome> => {
  const { sessionId, turnId, approval } = input;
  // The id is the same in every attempt of this activity, so that a repeat is the same update and commits only once.
  const updateId = `${approval?.inputId ?? turnId}/${content.sha256}`;
  const request = { content, ...(approval && { approval }) };
  const outcome = await deps.writeSessions.finalize({ sessionId, request, updateId });
  log.info('write session finalized', { turnId, sessionId, outcome: outcome.kind });
  // The session may have ended before this content was stored. Then nothing else removes the content.
  if (outcome.kind !== 'failed' && outcome.kind !== 'approval_required') {
    await forget(deps.contents, sessionId);
  }
  switch (outcome.kind) {
    case 'committed':
      return outcome;
    case 'failed':
      // The stored content stays as the session's draft, so that it can be finalized again once the cause is removed.
      await deps.writeSessions.touch(sessionId, content);
      return outcome;
    case 'approval_required':
      return { kind: 'failed', code: 'write_failed', reason: 'nobody was asked about this write' };
    case 'ended':
    case 'not_found':
      return readSessionEnd(deps, sessionId, outcome);
    default:
      return outcome satisfies never;
  }
};

/**
 * Returns the outcome for a session that has ended before its turn could commit it. A client may have committed it: the
 * file then has the content that the client sent.
 */
const readSessionEnd = async (
  { writeSessions }: KeepWriteSessionDeps,
  sessionId: string,
  ended: Extract<FinalizeOutcome, { kind: 'ended' }> | { readonly kind: 'not_found' },
): Promise<KeepOutcome> => {
  const view = ended.kind === 'ended' ? await writeSessions.readStatus(sessionId) : undefined;
  return view?.row.outcome?.kind === 'committed' && view.row.stage === 'committed'
    ? view.row.outcome
    : { kind: 'failed', code: 'write_failed', reason: WRITE_SESSION_TEXTS.sessionNotFound };
};
