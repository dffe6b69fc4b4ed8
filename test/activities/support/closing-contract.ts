import { describe, expect, it } from '@jest/globals';
import type { TurnActivities } from '../../../activities/create-activities.ts';
import type { CloseTurnInput } from '../../../src/contracts/payload/turn-activity-payloads.ts';

/** How a workflow ends its turn, and new turns to try that with. */
export interface ClosingUnderContract {
  readonly closeTurn: TurnActivities['closeTurn'];
  /** Begins a turn and returns the input that ends it. */
  begin(): Promise<CloseTurnInput>;
  /** Resolves to the status with which the turn has ended, or to undefined while it runs. */
  statusOf(turnId: string): Promise<string | undefined>;
}

/** Describes what the workflow of a turn relies on when it ends. `open` is called once in each test. */
export const describeClosing = (name: string, open: () => ClosingUnderContract): void => {
  describe(`closeTurn: ${name}`, () => {
    it('ends the turn, and has no result', async () => {
      const { closeTurn, begin, statusOf } = open();
      const input = await begin();
      expect(await statusOf(input.turnId)).toBeUndefined();
      expect(await closeTurn(input)).toBeUndefined();
      expect(await statusOf(input.turnId)).toBe('completed');
    });

    it('may be repeated: the first end stands', async () => {
      const { closeTurn, begin, statusOf } = open();
      const input = await begin();
      await closeTurn(input);
      const terminal = { type: 'error', code: 'internal_error', message: 'too late' } as const;
      expect(await closeTurn({ ...input, terminal })).toBeUndefined();
      expect(await statusOf(input.turnId)).toBe('completed');
    });

    it('does not change other turns', async () => {
      const { closeTurn, begin, statusOf } = open();
      const [ended, running] = [await begin(), await begin()];
      await closeTurn(ended);
      expect(await statusOf(running.turnId)).toBeUndefined();
    });
  });
};
