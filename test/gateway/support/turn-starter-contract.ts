import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { NewTurn } from '../../../src/gateway/ports/new-turn.ts';
import type { TurnCanceller } from '../../../src/gateway/ports/turn-controls.ts';
import type { TurnReader } from '../../../src/gateway/ports/turn-views.ts';
import type { TurnStarter } from '../../../src/gateway/ports/turn-starts.ts';

/** What starts turns, reads them back and cancels them. */
export type TurnsUnderContract = TurnStarter & TurnCanceller & Pick<TurnReader, 'find' | 'listRunning'>;

/** Returns a turn as a route asks for it, the only one of its conversation. */
export const newTurn = (overrides: Partial<NewTurn> = {}): NewTurn => ({
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

/** Describes what the routes rely on when they start turns; `end` ends a turn as its workflow does. */
export const describeTurnStarter = (
  name: string,
  open: () => { readonly turns: TurnsUnderContract; end(turnId: string): Promise<void> },
): void => {
  describe(`who starts turns: ${name}`, () => {
    it('attaches the same request, and refuses another request under its id', async () => {
      const { turns, end } = open();
      const turn = newTurn();
      expect(await turns.start(turn)).toEqual({ kind: 'started', turnId: turn.turnId });
      expect(await turns.start(turn)).toEqual({ kind: 'attached', turnId: turn.turnId });
      expect(await turns.start({ ...turn, requestHash: 'other' })).toEqual({ kind: 'idempotency_conflict' });
      await end(turn.turnId);
      expect(await turns.start(turn)).toEqual({ kind: 'attached', turnId: turn.turnId });
    });

    it('lets one turn at a time into a conversation of its project', async () => {
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

    it('notes who cancels a running turn first, and nobody once it has ended', async () => {
      const { turns, end } = open();
      const [cancelled, answered] = [newTurn(), newTurn()];
      for (const turn of [cancelled, answered]) await turns.start(turn);
      await turns.cancel(cancelled.turnId, 'ada');
      await turns.cancel(cancelled.turnId, 'bob');
      await end(answered.turnId);
      await turns.cancel(answered.turnId, 'ada');
      await turns.cancel(randomUUID(), 'ada');
      expect(await turns.find(cancelled.turnId)).toMatchObject({ status: 'running', cancelledBy: 'ada' });
      expect(await turns.find(answered.turnId)).toMatchObject({ cancelledBy: null });
    });

    it('shows a turn that runs, and which key runs which turns', async () => {
      const { turns, end } = open();
      const key = randomUUID();
      const turn = newTurn({ maxPhaseCycles: 7, protocol: 'standard' });
      await turns.start(turn, key);
      expect(await turns.find(turn.turnId)).toMatchObject({
        projectId: 'p',
        conversationId: turn.conversationId,
        status: 'running',
        protocol: 'standard',
        mode: 'act',
        input: { budgets: { maxPhaseCycles: 7 } },
        reason: null,
        content: null,
        cancelledBy: null,
        terminal: null,
        endedAt: null,
      });
      expect(await turns.listRunning(key, 'standard')).toEqual([turn.turnId]);
      expect(await turns.listRunning(key, 'two_stage')).toEqual([]);
      expect(await turns.listRunning('another', 'standard')).toEqual([]);
      await end(turn.turnId);
      expect(await turns.listRunning(key, 'standard')).toEqual([]);
      expect(await turns.find(turn.turnId)).toMatchObject({ status: 'completed', reason: 'answered' });
    });
  });
};
