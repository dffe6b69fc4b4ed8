/** Messages that were sent into a running turn are stored when it ends, and later prompts have them in their place. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AcceptedSteer } from '../../../src/contracts/inputs/steering.ts';
import { transcriptOfMessages } from '../../../src/prompts/transcript-of-messages.ts';
import { createConversationLists } from '../../../src/db/conversations/conversation-lists.ts';
import { createMessageRepository } from '../../../src/db/conversations/message-repository.ts';
import { createTranscriptRepository } from '../../../src/db/conversations/transcript-repository.ts';
import { findSteer } from '../../../src/db/turns/steer-rows.ts';
import { createTurnRepository } from '../../../src/db/turns/turn-repository.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { answered, attempt, opening, turnInput, userMessage } from '../../support/turn-fixtures.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const by = { kind: 'key' as const, name: 'anna' };
const steer = (messageId: string): AcceptedSteer => ({
  messageId,
  content: `say ${messageId}`,
  when: 'boundary',
  by,
  at: '2026-01-05T09:00:00.000Z',
});
const applied = (messageId: string) => {
  const { when: _when, ...said } = steer(messageId);
  return { type: 'steer' as const, ...said, interrupted: false };
};

const turns = () => createTurnRepository(database.db);
const messages = () => createMessageRepository(database.db);

/** Plays a turn that said `One.`, got the message `a`, said `Two.`, and ended before it could read `b`. */
const playSteeredTurn = async (turnId: string, conversationId: string): Promise<void> => {
  await turns().insert(turnInput(turnId, { conversationId }), 'hash', userMessage);
  const ownEvents = [
    opening,
    attempt(1, 'One.'),
    { epoch: 199, seq: 3, after: '101-2', events: [applied('a')] },
    { epoch: 201, seq: 4, after: '199-3', events: ['Two.'] },
  ];
  const close = { ownEvents, terminalId: '299-5', unapplied: [steer('b')] };
  await turns().close(answered(turnId, '201-4', close));
};

describe('a turn that was steered', () => {
  it('stores the messages as its user’s, between the first one and its reply, and names what it hands back', async () => {
    await playSteeredTurn('t', 'c');
    const { messages: rows } = await messages().list({
      projectId: 'project',
      conversationId: 'c',
      limit: 9,
      offset: 0,
    });
    expect(rows.toReversed().map(({ sender, content }) => `${sender} ${content}`)).toEqual([
      'user What does README.md say?',
      'user say a',
      'user say b',
      'orion One.Two.',
    ]);
    expect(rows.toReversed().map(({ metadata }) => metadata['steer'])).toEqual([
      undefined,
      { messageId: 'a', position: 4, applied: true, by },
      { messageId: 'b', position: 8, applied: false, by },
      undefined,
    ]);
    expect((await turns().find('t'))?.terminal?.event).toMatchObject({ unapplied: ['b'] });
    await expect(findSteer(database.db, 't', 'a')).resolves.toBe('say a');
    await expect(findSteer(database.db, 't', 'b')).resolves.toBe('say b');
    await expect(findSteer(database.db, 't', 'c')).resolves.toBeUndefined();
  });

  it('is one entry in lists, under its first message', async () => {
    await playSteeredTurn('listed', 'list');
    const lists = createConversationLists(database.db);
    const window = { projectId: 'project', conversationId: 'list', limit: 9, offset: 0 };
    expect((await lists.listTurns(window)).rows).toMatchObject([
      { turnId: 'listed', beginning: 'What does README.md say?' },
    ]);
  });

  it('is in later prompts in the order in which it was said, without messages that no model has read', async () => {
    await playSteeredTurn('before', 'talk');
    await turns().insert(turnInput('after', { conversationId: 'talk' }), 'hash', userMessage);
    const { turns: earlier } = await createTranscriptRepository(database.db).load('after', 'before', null);
    expect(earlier).toMatchObject([{ kind: 'messages', turnId: 'before' }]);
    expect(
      earlier.flatMap((turn) => (turn.kind === 'messages' ? transcriptOfMessages(turn.messages) : [])),
    ).toEqual([
      { role: 'user', content: 'What does README.md say?' },
      { role: 'assistant', content: 'One.' },
      { role: 'user', content: 'say a' },
      { role: 'assistant', content: 'Two.' },
    ]);
  });

  it('keeps what was said also when it is closed from outside', async () => {
    await turns().insert(turnInput('outside', { conversationId: 'o' }), 'hash', userMessage);
    const batches = [
      opening,
      attempt(1, 'One.'),
      { epoch: 199, seq: 3, after: '101-2', events: [applied('a')] },
    ];
    await turns().close({ turnId: 'outside', outside: { batches, unapplied: [steer('b')] } });
    expect((await turns().find('outside'))?.terminal?.event).toMatchObject({
      code: 'turn_ended_outside',
      unapplied: ['b'],
    });
    await expect(findSteer(database.db, 'outside', 'a')).resolves.toBe('say a');
  });
});

describe('rows of a turn', () => {
  it('include one reply and one first message, whatever else is said', async () => {
    await playSteeredTurn('once', 'x');
    const again = (values: object) =>
      database.db
        .insertInto('chat_messages')
        .values({
          turn_id: 'once',
          project_id: 'project',
          conversation_id: 'x',
          content: 'again',
          metadata: '{}',
          sender: 'orion',
          ...values,
        })
        .execute();
    await expect(again({})).rejects.toThrow('duplicate key');
    await expect(again({ sender: 'user' })).rejects.toThrow('duplicate key');
    await expect(again({ sender: 'user', steer_id: 'a' })).rejects.toThrow('duplicate key');
  });
});
