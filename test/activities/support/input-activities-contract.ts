import { describe, expect, it } from '@jest/globals';
import type { InputActivities } from '../../../activities/inputs/input-activities.ts';
import type { PrepareInputRequestResult } from '../../../src/contracts/inputs/input-request.ts';
import type { PrepareInputRequestInput } from '../../../src/contracts/payload/input-activity-payloads.ts';
import { ASK_USER } from '../../../src/contracts/tools/built-in-tools.ts';
import { toolCall } from '../../support/fake-ports.ts';
import { modelInput } from './activity-inputs.ts';

const HEX = /^[0-9a-f]{64}$/;
const write = (path: string) => toolCall('FileSystemTool_write_to_file', { path, content: 'x\n' });
const begin = toolCall('WritePlanTool_begin', { target_file: 'a.md', operation: 'overwrite' });
const SESSION = {
  sessionId: 'f6a6d6a2-9f37-4d7e-8b39-2f4b56f1c001',
  content: { sha256: 'a'.repeat(64), bytes: 2, lines: 1 },
};

const request = (more: Partial<PrepareInputRequestInput>): PrepareInputRequestInput => {
  const { turnId, projectId, conversationId, firstExecutionRunId } = modelInput();
  const turn = {
    turnId,
    projectId,
    conversationId,
    firstExecutionRunId,
    prelude: [],
    ownTools: { question: true },
  };
  return { ...turn, n: 1, kind: 'approval', mode: 'act', options: ['allow', 'deny'], ...more };
};

/** Describes what the workflow of a turn relies on when it asks people. `open` is called once in each test. */
export const describeInputActivities = (name: string, open: () => InputActivities): void => {
  const prepare = async (
    more: Partial<PrepareInputRequestInput>,
  ): Promise<PrepareInputRequestResult & { kind: 'ready' }> => {
    const prepared = await open().prepareInput(request(more));
    if (prepared.kind === 'ready') return prepared;
    throw new Error(`expected a request that is ready, received ${prepared.kind}`);
  };

  describe(`activities of input requests: ${name}`, () => {
    it('prepare a call with its arguments, its change and the hash of both', async () => {
      const call = write('a.md');
      const { shown, excerpt, ...more } = await prepare({ call });
      expect(shown).toMatchObject({
        arguments: call.function.arguments,
        argsHash: expect.stringMatching(HEX),
      });
      expect([shown.target, typeof shown.diff, typeof excerpt]).toEqual(['a.md', 'string', 'string']);
      expect(more).toEqual({ kind: 'ready' });
    });

    it('prepare a question without a hash, since there is nothing to approve', async () => {
      const call = toolCall(ASK_USER.name, { question: 'Which?' });
      const { shown } = await prepare({ kind: 'question', call, options: ['answer', 'deny'] });
      expect(shown.arguments).toBe(call.function.arguments);
      expect(shown).not.toHaveProperty('argsHash');
    });

    it('prepare a request at a limit, which shows nothing', async () => {
      const prepared = await prepare({ kind: 'limit', options: ['keep_going', 'answer_now'] });
      expect(prepared).toEqual({ kind: 'ready', shown: {} });
    });

    it('prepare a commit with the hash of its target as it is shown', async () => {
      const { shown, before } = await prepare({ kind: 'commit', call: begin, session: SESSION });
      expect([shown.argsHash, before]).toEqual([expect.stringMatching(HEX), expect.stringMatching(HEX)]);
    });

    it('announce a request, which is then open', async () => {
      const event = { message: 'May it?', default: 'deny', expiresAt: '2036-01-01T00:00:00.000Z' } as const;
      expect(await open().announceInput({ ...request({}), ...event })).toBe('open');
    });

    it('pass other arguments, under a hash of their own', async () => {
      const activities = open();
      const asked = await activities.prepareInput(request({ call: write('a.md') }));
      const argsHash = (asked.kind === 'ready' ? asked.shown.argsHash : undefined) ?? '';
      const edited = { ...request({}), call: write('b.md'), asked: { call: write('a.md'), argsHash } };
      const checked = await activities.checkInput(edited);
      expect(checked).toEqual({ kind: 'passes', argsHash: expect.stringMatching(HEX) });
      expect(checked).not.toMatchObject({ argsHash });
    });
  });
};
