import type {
  BeginAnswer,
  FinalizeAnswer,
  WriteSessionList,
  WriteSessionStatus,
} from '../../contracts/http/write-sessions.ts';
import type { ContentRef } from '../../contracts/write-session.ts';
import type { SessionStatus } from '../../contracts/payload/session-workflow.ts';
import { WRITE_SESSION_TEXTS } from '../../contracts/write-session-texts.ts';
import type { ListedSession } from '../../db/write-session-repository.ts';
import type { WriteSessionRow } from '../../db/write-session-row.ts';

/*
 * Answers of docs/write-sessions.md.
 */

const isoTime = (ms: number): string => new Date(ms).toISOString();

export const beginAnswer = (row: WriteSessionRow, expiresAt: number): BeginAnswer => ({
  session_id: row.sessionId,
  stage: row.stage,
  instruction: WRITE_SESSION_TEXTS.instruction,
  target_file: row.targetFile,
  operation: row.operation,
  expires_at: isoTime(expiresAt),
});

export const finalizeAnswer = (
  { input, operation, targetFile }: WriteSessionRow,
  { bytes, lines, sha256 }: ContentRef,
): FinalizeAnswer => {
  const written = { operation_index: 0, type: operation, target_file: targetFile, bytes, lines, sha256 };
  return { intent: input.intent, results: [{ ...written, status: 'success', error: null }] };
};

/** `status` is absent while the workflow does not say more than its row. */
export const statusAnswer = (
  row: WriteSessionRow,
  status: SessionStatus | undefined,
  { draftBytes, targetBytes }: { readonly draftBytes: number; readonly targetBytes: number | null },
): WriteSessionStatus => {
  const startedAt = row.startedAt.getTime();
  return {
    session_id: row.sessionId,
    stage: status?.stage ?? row.stage,
    target_file: row.targetFile,
    operation: row.operation,
    created_at: isoTime(startedAt),
    last_activity: isoTime(status?.lastActivity ?? startedAt),
    expires_at: isoTime(status?.expiresAt ?? startedAt + row.input.inactivityTimeoutMs),
    draft_bytes: status?.draft?.bytes ?? draftBytes,
    target_bytes: targetBytes,
  };
};

export const listAnswer = (rows: readonly ListedSession[]): WriteSessionList => ({
  sessions: rows.map((row) => ({
    session_id: row.sessionId,
    stage: row.stage,
    target_file: row.targetFile,
    operation: row.operation,
    created_at: row.startedAt.toISOString(),
    ended_at: row.endedAt?.toISOString() ?? null,
    undone_at: row.undoneAt?.toISOString() ?? null,
  })),
});
