/**
 * Tests what readers are sent at the end of a content phase, and when. Temporal, Postgres, store and lane are
 * recorders.
 */
import { describe, expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import {
  createKeepWriteSession,
  type KeepWriteSessionDeps,
} from '../../../activities/write-session/keep-write-session.ts';
import type { KeepWriteSessionInput } from '../../../src/contracts/payload/session-activity-payloads.ts';
import type { StoredResolution } from '../../../src/contracts/inputs/input-request.ts';
import { createToolRegistry } from '../../../src/tools/registry.ts';
import { contentRefOf } from '../../../src/write-session/content-ref.ts';
import type { FinalizeOutcome } from '../../../src/contracts/write-session/session-messages.ts';

const TEXT = 'one\ntwo\n';
const content = contentRefOf(TEXT);

const input: KeepWriteSessionInput = {
  turnId: 'turn-1',
  projectId: 'p',
  conversationId: 'c',
  firstExecutionRunId: 'first-run',
  liveLane: 'http://127.0.0.1:1',
  prelude: [
    {
      epoch: 299,
      seq: 9,
      after: '201-8',
      events: [{ type: 'phase', phase: 'action', index: 2, cycle: 1 }],
    },
  ],
  sessionId: '31a0d1b0-6f0e-4a53-8a55-3b9c1f5d9d3e',
  phases: [{ end: 'ended', skip: 0, source: { epoch: 201 } }],
  content,
  commit: false,
};

/** Runs the activity; resolves to what happened, in the order in which it happened. */
const run = async (
  fields: Partial<KeepWriteSessionInput> = {},
  {
    stored = TEXT,
    finalized,
    isOpen = true,
    forget,
  }: {
    stored?: string;
    finalized?: FinalizeOutcome;
    isOpen?: boolean;
    forget?: () => Promise<void>;
  } = {},
) => {
  const happened: string[] = [];
  const note = (what: string) => void happened.push(what);
  const deps: KeepWriteSessionDeps = {
    segments: { loadText: () => Promise.resolve(stored) },
    contents: {
      put: async (_sessionId, source) => {
        let text = '';
        for await (const chunk of source) text += Buffer.from(chunk).toString();
        note(`stored ${text.length}`);
        return { kind: 'stored', content: contentRefOf(text) };
      },
      forget: forget ?? (async () => note('forgotten')),
    },
    writeSessions: {
      touch: async (_id, draft) => {
        note(`draft ${draft?.bytes}`);
        return isOpen;
      },
      finalize: async () => {
        note('finalized');
        return finalized ?? { kind: 'committed', content };
      },
      readStatus: () => Promise.resolve(undefined),
    },
    lane: {
      open: () => ({
        isHealthy: true,
        publish: () => note('told'),
        output: () => undefined,
        close: () => Promise.resolve(),
      }),
      close: () => undefined,
    },
    pingTemporal: () => Promise.resolve(),
    turns: { find: () => Promise.resolve(undefined) },
    registry: createToolRegistry([]),
    inputs: { close: async (turnId, resolutions) => note(`${turnId} resolved ${resolutions.length}`) },
    startNotifications: async (turnId) => note(`${turnId} notified`),
    traces: { record: () => Promise.resolve() },
  };
  const environment = new MockActivityEnvironment(
    { workflowExecution: { workflowId: 'turn/turn-1', runId: 'first-run' }, heartbeatTimeoutMs: 30_000 },
    { logger: new DefaultLogger('ERROR') },
  );
  const outcome: unknown = await environment
    .run(createKeepWriteSession(deps), { ...input, ...fields })
    .catch((error: unknown) => error);
  return { outcome, happened };
};

describe('keepWriteSession', () => {
  it('tells readers that the content is complete only once they can find its draft', async () => {
    const { outcome, happened } = await run();
    expect(outcome).toEqual({ kind: 'kept' });
    expect(happened).toEqual(['stored 8', 'draft 8', 'told']);
  });

  it('tells them after the commit, if the turn commits', async () => {
    const { outcome, happened } = await run({ commit: true });
    expect(outcome).toEqual({ kind: 'committed', content });
    expect(happened).toEqual(['stored 8', 'finalized', 'forgotten', 'told']);
  });

  it('stores before the commit how the request about it was resolved', async () => {
    const allowed: StoredResolution = {
      inputId: 'turn-1/1',
      reply: 'allow',
      by: { kind: 'temporal' },
      at: '2026-01-05T00:00:00.000Z',
    };
    const { happened } = await run({ commit: true, resolutions: [allowed], notifies: true });
    const stored = ['turn-1 resolved 1', 'turn-1 notified', 'stored 8'];
    expect(happened).toEqual([...stored, 'finalized', 'forgotten', 'told']);
  });

  it('keeps the draft of a commit that failed', async () => {
    const failed = { kind: 'failed', code: 'write_failed', reason: 'file exists: a.md' } as const;
    const { outcome, happened } = await run({ commit: true }, { finalized: failed });
    expect(outcome).toEqual(failed);
    expect(happened).toEqual(['stored 8', 'finalized', 'draft 8', 'told']);
  });

  it('leaves nothing for a session that has ended meanwhile', async () => {
    const draft = await run({}, { isOpen: false });
    expect(draft.happened).toEqual(['stored 8', 'draft 8', 'forgotten', 'told']);
    const late = await run({ commit: true }, { finalized: { kind: 'ended', stage: 'expired' } });
    expect(late.happened).toEqual(['stored 8', 'finalized', 'forgotten', 'told']);
  });

  it('ends well though what was stored cannot be removed: the file is written', async () => {
    const forget = () => Promise.reject(new Error('EIO: i/o error, rm'));
    const committed = await run({ commit: true }, { forget });
    expect(committed.outcome).toEqual({ kind: 'committed', content });
    expect(committed.happened).toEqual(['stored 8', 'finalized', 'told']);
    expect((await run({}, { isOpen: false, forget })).outcome).toEqual({ kind: 'kept' });
  });

  it('neither keeps nor announces content that the workflow does not hold', async () => {
    const { outcome, happened } = await run({}, { stored: 'else\n' });
    expect(outcome).toMatchObject({ type: 'content_mismatch', nonRetryable: true });
    expect(happened).toEqual(['stored 5']);
  });
});
