import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { TurnInput } from '../../../src/contracts/payload/turn-workflow-payloads.ts';
import type { CloseOutcome } from '../../../src/db/turns/turn-close.ts';
import type { TurnRepository } from '../../../src/db/turns/turn-repository.ts';
import { answered, turnInput, userMessage } from '../../support/turn-fixtures.ts';

/** The part of a repository of turns with which a turn is started. */
export interface TurnRowsUnderContract extends Pick<TurnRepository, 'insert' | 'find'> {
  close(...input: Parameters<TurnRepository['close']>): Promise<Pick<CloseOutcome, 'isClosedHere'>>;
}

/** Removes a conversation in which no turn runs. */
export type RemoveConversation = (
  conversation: Pick<TurnInput, 'projectId' | 'conversationId'>,
) => Promise<unknown>;

/** Returns the input of a turn, the only one of its conversation. */
const newInput = (fields: Partial<TurnInput> = {}): TurnInput => turnInput(randomUUID(), fields);

/** Describes which rows a starter of turns can insert and find. `open` is called once in each test. */
export const describeTurnRows = (
  name: string,
  open: () => { readonly turns: TurnRowsUnderContract; readonly remove: RemoveConversation },
): void => {
  describe(`the rows of turns: ${name}`, () => {
    it('have a turn that runs until it is closed, once', async () => {
      const { turns } = open();
      const input = newInput();
      const { kind, row } = await turns.insert(input, 'hash', userMessage);
      expect(kind).toBe('inserted');
      expect(row).toMatchObject({ turnId: input.turnId, status: 'running', requestHash: 'hash', input });
      expect(await turns.find(input.turnId)).toEqual(row);
      expect(await turns.close(answered(input.turnId, '0-1'))).toMatchObject({ isClosedHere: true });
      expect(await turns.close({ turnId: input.turnId, outside: { batches: [] } })).toMatchObject({
        isClosedHere: false,
      });
      expect(await turns.find(input.turnId)).toMatchObject({ status: 'completed' });
    });

    it('have an id once, in all projects, also after its turn has ended', async () => {
      const { turns } = open();
      const input = newInput();
      const { row } = await turns.insert(input, 'hash', userMessage);
      expect(await turns.insert(input, 'another', userMessage)).toEqual({ kind: 'exists', row });
      const elsewhere = { ...input, projectId: 'elsewhere' };
      expect(await turns.insert(elsewhere, 'hash', userMessage)).toEqual({ kind: 'exists', row });
      await turns.close({ turnId: input.turnId, outside: { batches: [] } });
      const ended = { kind: 'exists', row: { turnId: input.turnId, status: 'failed' } };
      expect(await turns.insert(input, 'hash', userMessage)).toMatchObject(ended);
      // The id is looked up before the turn that runs in the conversation.
      const { conversationId } = input;
      await turns.insert(newInput({ conversationId }), 'hash', userMessage);
      expect(await turns.insert(input, 'hash', userMessage)).toMatchObject(ended);
    });

    it('have one running turn in a conversation of a project', async () => {
      const { turns } = open();
      const first = newInput();
      const { conversationId } = first;
      await turns.insert(first, 'hash', userMessage);
      const second = newInput({ conversationId });
      expect(await turns.insert(second, 'hash', userMessage)).toMatchObject({
        kind: 'busy',
        row: { turnId: first.turnId },
      });
      expect(await turns.find(second.turnId)).toBeUndefined();
      const elsewhere = newInput({ conversationId, projectId: 'elsewhere' });
      expect(await turns.insert(elsewhere, 'hash', userMessage)).toMatchObject({ kind: 'inserted' });
      await turns.close(answered(first.turnId, '0-1'));
      expect(await turns.insert(second, 'hash', userMessage)).toMatchObject({ kind: 'inserted' });
    });

    it('do not show a turn whose conversation was removed, and keep its id', async () => {
      const { turns, remove } = open();
      const input = newInput();
      await turns.insert(input, 'hash', userMessage);
      await turns.close(answered(input.turnId, '0-1'));
      await remove(input);
      expect(await turns.find(input.turnId)).toBeUndefined();
      expect(await turns.insert(input, 'hash', userMessage)).toMatchObject({
        kind: 'exists',
        row: { turnId: input.turnId, requestHash: '' },
      });
    });
  });
};
