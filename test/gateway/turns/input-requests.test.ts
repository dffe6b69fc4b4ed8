/** Covers the way of a reply to the workflow that decides about it, whatever is away at that moment. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { ReplyRequest } from '../../../src/contracts/inputs/reply.ts';
import type { StoredResolution } from '../../../src/contracts/inputs/input-request.ts';
import type { InputRepository } from '../../../src/db/inputs/input-repository.ts';
import type { InputRow } from '../../../src/db/inputs/input-row.ts';
import type { ReplyContents } from '../../../src/db/inputs/reply-contents.ts';
import type { TurnRow } from '../../../src/db/turns/turn-row.ts';
import { createSendTurnUpdate } from '../../../src/gateway/turns/send-turn-update.ts';
import { createInputRequests } from '../../../src/gateway/turns/input-requests.ts';
import { replyHashOf } from '../../../src/protocol/inputs/input-request-state.ts';
import { FreeSpace } from '../../../src/gateway/storage/free-space.ts';
import { createStorageLimits } from '../../../src/gateway/storage/storage-limits.ts';
import { StorageQuota } from '../../../src/gateway/storage/storage-quota.ts';
import { MemoryBytes } from '../support/memory-bytes.ts';
import { workflowGone, refused, turnAnswering } from '../support/turn-answering.ts';
import { partOf } from '../../support/part-of.ts';

const request: ReplyRequest = { inputId: 't/1', reply: 'deny', by: { kind: 'key', name: 'anna' } };
const resolution: StoredResolution = {
  inputId: 't/1',
  reply: 'deny',
  by: { kind: 'key', name: 'anna' },
  at: '2026-01-05T09:00:00.000Z',
  replyHash: replyHashOf(request),
};

interface Ground {
  /** The results of the updates, in order. */
  readonly updates: readonly (StoredResolution | Error)[];
  readonly status?: TurnRow['status'];
  readonly row?: Partial<InputRow>;
  /** True when an earlier reply has stored the content. */
  readonly isContentKnown?: boolean;
  readonly quota?: StorageQuota;
}

/** The bytes that a key may store a day. */
const LIMIT = 100_000;
const newQuota = (): StorageQuota =>
  new StorageQuota({ stored: new MemoryBytes(), limit: LIMIT, now: () => 0 });

const replying = async (ground: Ground, posted = request) => {
  const { updates, status = 'running', row, isContentKnown = false, quota = newQuota() } = ground;
  const closed: StoredResolution[] = [];
  const kept: unknown[] = [];
  const { client, turns, sent, starts } = turnAnswering(updates, status);
  const inputs = partOf<InputRepository>({
    find: () => Promise.resolve(row && { turnId: 't', n: 1, state: 'closed', resolution: null, ...row }),
    close: (_turnId: string, all: readonly StoredResolution[]) => Promise.resolve(void closed.push(...all)),
  });
  const replyContents: ReplyContents = {
    find: () => Promise.resolve(isContentKnown ? posted.content : undefined),
    store: (...args) => {
      if (row?.state === 'closed') return Promise.resolve(false);
      kept.push(args);
      return Promise.resolve(true);
    },
  };
  const storage = createStorageLimits(quota, new FreeSpace({ folders: [], reserve: 0 }));
  const sendUpdate = createSendTurnUpdate({ client, turns, taskQueue: 'q' });
  const requests = createInputRequests({ sendUpdate, turns, inputs, replyContents, storage });
  const answer = await requests.reply('t', posted, 'anna');
  return { answer, closed, started: starts.length, sent: sent.flatMap(({ args }) => args), kept };
};

describe('a reply', () => {
  it('is decided by the workflow, and is in the row at once', async () => {
    const { answer, closed } = await replying({ updates: [resolution] });
    expect(answer).toEqual({ kind: 'resolved' });
    expect(closed).toEqual([resolution]);
  });

  it.each(['input_not_found', 'input_closed', 'input_changed', 'validation_failed'])(
    'that is refused as %s gets that answer',
    async (code) => {
      const by = { reply: 'allow', by: { kind: 'expiry' }, at: 'then' };
      const { answer, closed } = await replying({ updates: [refused(code, by)] });
      expect(answer).toEqual({
        kind: 'refused',
        code,
        message: `refused: ${code}`,
        closedBy: { reply: 'allow', by: 'expiry', at: 'then' },
      });
      expect(closed).toEqual([]);
    },
  );

  it('to a workflow that does not run yet starts it, and is sent once more', async () => {
    const { answer, started } = await replying({ updates: [workflowGone(), resolution] });
    expect([answer.kind, started]).toEqual(['resolved', 1]);
  });

  it('to a workflow that does not answer may still take effect, so no answer says that it did not', async () => {
    const still = replying({ updates: [workflowGone(), workflowGone()], row: { state: 'open' } });
    await expect(still).rejects.toThrow('no worker answers');
  });

  it('to a turn that has ended is answered from its rows', async () => {
    const ended = { updates: [workflowGone()], status: 'completed' } as const;
    expect((await replying({ ...ended, row: { resolution } })).answer).toEqual({ kind: 'resolved' });
    const other = { ...resolution, replyHash: 'another' };
    expect((await replying({ ...ended, row: { resolution: other } })).answer).toMatchObject({
      code: 'input_closed',
      message: 'The request is closed: deny by anna at 2026-01-05T09:00:00.000Z.',
      closedBy: { reply: 'deny', by: 'anna' },
    });
    expect((await replying({ ...ended, row: {} })).answer).toMatchObject({ code: 'input_closed' });
    expect((await replying(ended)).answer).toMatchObject({ code: 'input_not_found' });
  });

  it.each([32 * 1024, 32 * 1024 + 1])(
    'with an answer of %i bytes keeps it in the history or beside it',
    async (n) => {
      const content = 'x'.repeat(n);
      const answer = { ...request, reply: 'answer', content } as const;
      const { sent, kept } = await replying({ updates: [resolution] }, answer);
      const sha256 = createHash('sha256').update(content).digest('hex');
      const isShort = n === 32 * 1024;
      expect(kept).toEqual(isShort ? [] : [[{ turnId: 't', n: 1, kind: 'question' }, sha256, content]]);
      const { content: _content, ...rest } = answer;
      expect(sent).toEqual([isShort ? answer : { ...rest, contentSha256: sha256 }]);
    },
  );

  it.each([{ reply: 'deny' }, { reply: 'allow' }, { reply: 'result' }] as const)(
    'with a long content that nobody can take has it nowhere: %o',
    async (fields) => {
      const posted = { ...request, ...fields, content: 'x'.repeat(40_000) };
      const { sent, kept } = await replying({ updates: [refused('validation_failed')] }, posted);
      expect(kept).toEqual([]);
      expect(sent[0]).not.toHaveProperty('content');
    },
  );

  describe('with a long content', () => {
    const long = { ...request, reply: 'answer', content: 'x'.repeat(40_000) } as const;
    const mayStore = async (quota: StorageQuota, bytes: number): Promise<boolean> =>
      (await quota.reserve('anna', bytes)).kind === 'taken';

    it('counts for its key', async () => {
      const quota = newQuota();
      await replying({ updates: [resolution], quota }, long);
      expect(await mayStore(quota, 60_001)).toBe(false);
      expect(await mayStore(quota, 60_000)).toBe(true);
    });

    it('does not count when its request is closed, so that nothing is stored', async () => {
      const quota = newQuota();
      await replying({ updates: [refused('input_closed')], row: { state: 'closed' }, quota }, long);
      expect(await mayStore(quota, LIMIT)).toBe(true);
    });

    it('is answered again although the key may store no more', async () => {
      const quota = newQuota();
      expect(await mayStore(quota, LIMIT)).toBe(true);
      const { answer, kept } = await replying({ updates: [resolution], isContentKnown: true, quota }, long);
      expect([answer.kind, kept]).toEqual(['resolved', []]);
    });

    it('is refused when the key may store no more', async () => {
      const quota = newQuota();
      expect(await mayStore(quota, 60_001)).toBe(true);
      await expect(replying({ updates: [resolution], quota }, long)).rejects.toMatchObject({
        code: 'storage_quota_exceeded',
      });
    });
  });

  it('that edits and has resolved the request is not sent again', async () => {
    const edit = { ...request, reply: 'edit', arguments: { path: 'b' } } as const;
    const row = { resolution: { ...resolution, reply: 'edit' as const, replyHash: replyHashOf(edit) } };
    const { answer, sent } = await replying({ updates: [], row }, edit);
    expect([answer.kind, sent]).toEqual(['resolved', []]);
  });

  it('that was taken while the workflow ended is answered from its rows, too', async () => {
    const { answer } = await replying({
      updates: [refused('AcceptedUpdateCompletedWorkflow')],
      status: 'cancelled',
      row: {},
    });
    expect(answer).toMatchObject({ kind: 'refused', code: 'input_closed' });
  });
});
