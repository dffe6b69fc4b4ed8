/**
 * Tests the end of a content phase over Temporal, Postgres, content store and files, as the workflow of a turn calls
 * it.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import type { TurnActivities } from '../../../activities/create-activities.ts';
import {
  createKeepWriteSession,
  type KeepWriteSessionDeps,
} from '../../../activities/write-session/keep-write-session.ts';
import type { KeepWriteSessionInput } from '../../../src/contracts/payload/session-activity-payloads.ts';
import { createToolRegistry } from '../../../src/tools/registry.ts';
import { contentRefOf } from '../../../src/write-session/content-ref.ts';
import { SessionWorld } from '../../write-session-service/support/session-world.ts';
import { RUN_ID } from '../support/activity-inputs.ts';
import { describeKeeping } from '../support/keeping-contract.ts';

let world: SessionWorld;
beforeAll(async () => {
  world = await SessionWorld.open({ maxConcurrent: 10 });
});
afterAll(() => world.close());

const keepWriteSession: TurnActivities['keepWriteSession'] = (input) => {
  const deps: KeepWriteSessionDeps = {
    segments: { loadText: () => Promise.reject(new Error('not asked')) },
    contents: {
      put: async (sessionId, source) => {
        const parts: Uint8Array[] = [];
        for await (const part of source) parts.push(part);
        const content = await world.stored(sessionId, Buffer.concat(parts).toString());
        return { kind: 'stored', content };
      },
      forget: (sessionId) => world.gatewayParts.contents.forget(sessionId),
    },
    writeSessions: world.sessions,
    pingTemporal: () => Promise.resolve(),
    turns: { find: () => Promise.resolve(undefined) },
    registry: createToolRegistry([]),
    inputs: { close: () => Promise.resolve() },
    startNotifications: () => Promise.resolve(),
    traces: { record: () => Promise.resolve() },
  };
  const info = {
    workflowExecution: { workflowId: 'turn/turn-1', runId: RUN_ID },
    heartbeatTimeoutMs: 30_000,
  };
  const environment = new MockActivityEnvironment(info, { logger: new DefaultLogger('ERROR') });
  return environment.run(createKeepWriteSession(deps), input);
};

const begin = async (text: string, targetFile = `${randomUUID()}.md`): Promise<KeepWriteSessionInput> => ({
  turnId: 'turn-1',
  projectId: 'project',
  conversationId: 'c',
  firstExecutionRunId: RUN_ID,
  prelude: [],
  sessionId: await world.beginSession({ targetFile, operation: 'create' }),
  phases: [{ end: 'ended', skip: 0, source: { text } }],
  content: contentRefOf(text),
  commit: true,
});

describeKeeping('over a session', () => ({ keepWriteSession, begin }));

it('committed content is in the file', async () => {
  await keepWriteSession(await begin('the text\n', 'committed.md'));
  expect(await world.file('committed.md')).toBe('the text\n');
});
