import type { StoredResolution } from '../../../src/contracts/inputs/input-request.ts';
import { inputIdOf } from '../../../src/contracts/inputs/input-id.ts';
import type { ReplyRequest } from '../../../src/contracts/inputs/reply.ts';
import type { InputSelection } from '../../../src/db/inputs/input-repository.ts';
import type { InputRow } from '../../../src/db/inputs/input-row.ts';
import type { ReplyOutcome, InputRequests } from '../../../src/gateway/ports/turn-controls.ts';
import { InputRequestState, replyHashOf } from '../../../src/protocol/inputs/input-request-state.ts';

/**
 * Input requests in memory; the same code resolves them as in workflows. A suite holds its lists to those of Postgres.
 * A reply may differ: it needs no worker, and is stored nowhere else.
 */
export class FakeInputs implements InputRequests {
  readonly rows: InputRow[] = [];
  readonly #requests = new InputRequestState();

  /** Has a turn ask whether it may write a file. */
  ask(turnId: string, projectId: string, fields: Partial<InputRow> = {}): InputRow {
    const row: InputRow = {
      turnId,
      n: this.rows.filter((other) => other.turnId === turnId).length + 1,
      projectId,
      conversationId: 'main',
      kind: 'approval',
      state: 'open',
      message: 'May FileSystemTool.write_to_file run on a.md?',
      request: {
        tool: 'FileSystemTool_write_to_file',
        callId: 'call_1',
        arguments: '{"path":"a.md","content":"x"}',
        effect: 'write',
        target: 'a.md',
        options: ['allow', 'allow_turn', 'edit', 'deny'],
      },
      default: 'deny',
      argsHash: 'a'.repeat(64),
      diff: '--- a.md\n+++ a.md\n@@ -0,0 +1,1 @@\n+x\n',
      resolution: null,
      expiresAt: new Date('2026-01-03T03:04:05Z'),
      openedAt: new Date('2026-01-02T03:04:05Z'),
      closedAt: null,
      ...fields,
    };
    this.rows.push(row);
    const inputId = inputIdOf(turnId, row.n);
    const { options } = row.request;
    const shown = row.argsHash === null ? {} : { argsHash: row.argsHash };
    this.#requests.open({ inputId, options, default: row.default, ...shown, refusalFor: () => undefined });
    return row;
  }

  find(turnId: string, n: number): Promise<InputRow | undefined> {
    return Promise.resolve(this.rows.find((row) => row.turnId === turnId && row.n === n));
  }

  list({ projects, state, limit, offset }: InputSelection) {
    const found = this.rows.filter(
      (row) => (projects?.includes(row.projectId) ?? true) && (state === undefined || row.state === state),
    );
    const rows = found.slice(offset, offset + limit).map((row) => ({ ...row, diff: null }));
    return Promise.resolve({ rows, hasMore: found.length > offset + limit });
  }

  reply(turnId: string, request: ReplyRequest): Promise<ReplyOutcome> {
    const verdict = this.#requests.judge(request);
    if (verdict.kind === 'refused') {
      const { code, message, resolution } = verdict;
      const closedBy = resolution && {
        reply: resolution.reply,
        by: resolution.by.name ?? resolution.by.kind,
        at: resolution.at,
      };
      return Promise.resolve({ kind: 'refused', code, message, ...(closedBy && { closedBy }) });
    }
    if (verdict.kind === 'counts') this.#close(turnId, request);
    return Promise.resolve({ kind: 'resolved' });
  }

  #close(turnId: string, request: ReplyRequest): void {
    const { inputId, reply, by = { kind: 'temporal' }, note } = request;
    const at = '2026-01-02T03:05:05.000Z';
    const resolution: StoredResolution = {
      inputId,
      reply,
      by,
      at,
      ...(note !== undefined && { note }),
      replyHash: replyHashOf(request),
    };
    this.#requests.resolve(inputId, resolution);
    const index = this.rows.findIndex((row) => inputIdOf(turnId, row.n) === inputId);
    const row = this.rows[index];
    if (row) this.rows[index] = { ...row, state: 'closed', resolution, closedAt: new Date(at) };
  }
}
