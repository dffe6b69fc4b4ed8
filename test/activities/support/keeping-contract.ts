import { describe, expect, it } from '@jest/globals';
import type { TurnActivities } from '../../../activities/create-activities.ts';
import type { KeepWriteSessionInput } from '../../../src/contracts/payload/session-activity-payloads.ts';

/** How a workflow stores the content of a write session, and new sessions to try that with. */
export interface KeepingUnderContract {
  readonly keepWriteSession: TurnActivities['keepWriteSession'];
  /** Begins a session on a target that does not exist yet, and sends it `text` as its complete content. */
  begin(text: string): Promise<KeepWriteSessionInput>;
}

/**
 * Describes what the workflow of a turn relies on at the end of a content phase. `open` is called once in each test.
 */
export const describeKeeping = (name: string, open: () => KeepingUnderContract): void => {
  describe(`keepWriteSession: ${name}`, () => {
    it('keeps content that is not to be committed, also in a repeated attempt', async () => {
      const { keepWriteSession, begin } = open();
      const input = { ...(await begin('half of a fi')), commit: false };
      expect(await keepWriteSession(input)).toEqual({ kind: 'kept' });
      expect(await keepWriteSession(input)).toEqual({ kind: 'kept' });
    });

    it('commits what is complete; a repeated attempt gets the same outcome', async () => {
      const { keepWriteSession, begin } = open();
      const input = await begin('one\ntwo\n');
      const committed = { kind: 'committed', content: input.content };
      expect(await keepWriteSession(input)).toEqual(committed);
      // The workflow calls again after an attempt whose result was lost.
      expect(await keepWriteSession(input)).toEqual(committed);
    });

    it('commits what an earlier attempt has kept', async () => {
      const { keepWriteSession, begin } = open();
      const input = await begin('one\ntwo\n');
      await keepWriteSession({ ...input, commit: false });
      expect(await keepWriteSession(input)).toEqual({ kind: 'committed', content: input.content });
    });
  });
};
