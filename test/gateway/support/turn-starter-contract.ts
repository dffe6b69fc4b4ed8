import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { NewTurn, TurnReader, TurnStarter } from '../../../src/gateway/ports/turns.ts';

/** Starts turns and reads them back. */
export type TurnsUnderContract = TurnStarter & Pick<TurnReader, 'find' | 'runningOf'>;

const newTurn = (overrides: Partial<NewTurn> = {}): NewTurn => ({
  turnId: randomUUID(),
  projectId: 'p',
  conversationId: randomUUID(),
  content: 'Hello?',
  mode: 'act',
  protocol: 'two_stage',
  metadata: {},
  requestHash: 'hash',
  ...overrides,
});

/** What the routes rely on of whoever starts turns; `end` ends a turn as its workflow does. */
export const describeTurnStarter = (
  name: string,
  open: () => { readonly turns: TurnsUnderContract; end(turnId: string): Promise<void> },
): void => {
  describe(`who starts turns: ${name}`, () => {
    it('attaches the same request, and refuses another one under its id', async () => {
      const { turns, end } = open();
      const turn = newTurn();
      expect(await turns.start(turn)).toEqual({ kind: 'started', turnId: turn.turnId });
      expect(await turns.start(turn)).toEqual({ kind: 'attached', turnId: turn.turnId });
      expect(await turns.start({ ...turn, requestHash: 'other' })).toEqual({ kind: 'idempotency_conflict' });
      await end(turn.turnId);
      expect(await turns.start(turn)).toEqual({ kind: 'attached', turnId: turn.turnId });
    });

    it('lets one turn at a time into a conversation, which is of its project', async () => {
      const { turns, end } = open();
      const first = newTurn();
      await turns.start(first);
      const second = newTurn({ conversationId: first.conversationId });
      expect(await turns.start(second)).toEqual({ kind: 'turn_in_progress', turnId: first.turnId });
      expect(await turns.find(second.turnId)).toBeUndefined();
      const elsewhere = newTurn({ conversationId: first.conversationId, projectId: 'q' });
      expect(await turns.start(elsewhere)).toMatchObject({ kind: 'started' });
      await end(first.turnId);
      expect(await turns.start(second)).toMatchObject({ kind: 'started' });
    });

    it('shows a turn that runs, and whose key runs which', async () => {
      const { turns, end } = open();
      const key = randomUUID();
      const turn = newTurn({ maxPhaseCycles: 3, protocol: 'standard' });
      await turns.start(turn, key);
      expect(await turns.find(turn.turnId)).toMatchObject({
        projectId: 'p',
        conversationId: turn.conversationId,
        status: 'running',
        protocol: 'standard',
        mode: 'act',
        input: { budgets: { maxPhaseCycles: 3 } },
        reason: null,
        content: null,
        cancelledBy: null,
        terminal: null,
        endedAt: null,
      });
      expect(await turns.runningOf(key, 'standard')).toEqual([turn.turnId]);
      expect(await turns.runningOf(key, 'two_stage')).toEqual([]);
      expect(await turns.runningOf('another', 'standard')).toEqual([]);
      await end(turn.turnId);
      expect(await turns.runningOf(key, 'standard')).toEqual([]);
      expect(await turns.find(turn.turnId)).toMatchObject({ status: 'completed', reason: 'answered' });
    });
  });
};
