import type { ChatClient } from '../../support/chat-client.ts';
import { eventually } from '../../support/eventually.ts';

const MAX_TURNS = 40;

/**
 * Plays turns with messages of 1 KiB in a conversation, one after the other, until `isEnough`; resolves to the number
 * of the next turn. Throws when 40 are not enough.
 */
export const fillUntil = async (
  chat: ChatClient,
  conversationId: string,
  isEnough: () => boolean | Promise<boolean>,
  from = 0,
): Promise<number> => {
  for (let n = from; n < from + MAX_TURNS; n += 1) {
    if (await isEnough()) return n;
    const requestId = `${conversationId}-${n}`;
    const content = `Fact ${n}: cups stand on shelf ${n}. ${'Thanks a lot. '.repeat(80)}`;
    await chat.start({ conversationId, requestId, content });
    await eventually(`the end of turn ${n}`, async () => {
      const answered = await chat.untilAnswered(`/api/turns/${requestId}`);
      return ((await answered.json()) as { status: unknown }).status === 'completed';
    });
  }
  throw new Error(`expected ${MAX_TURNS} turns to be enough in ${conversationId}`);
};
