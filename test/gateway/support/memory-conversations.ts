import type {
  ConversationRepository,
  OpenedConversation,
  RemoveOutcome,
} from '../../../src/db/conversations/conversation-repository.ts';
import { BEGINNING_CHARACTERS } from '../../../src/db/conversations/conversation-lists.ts';
import type { FakeTurns } from './fake-turns.ts';
import type { ConversationKey } from '../../../src/contracts/values/ids.ts';

/**
 * Conversations of the turns in memory. `describeConversationRepository` holds them to those in Postgres. The turns of
 * one that is removed stay where other routes read them.
 */
export class MemoryConversations implements ConversationRepository {
  readonly removed: string[] = [];
  readonly #titles = new Map<string, string>();
  /** The turns whose conversations were removed, by their ids. */
  readonly #removedTurns = new Set<string>();
  readonly #turns: FakeTurns;

  constructor(turns: FakeTurns) {
    this.#turns = turns;
  }

  open(
    key: ConversationKey,
    { limit, offset }: { limit: number; offset: number },
  ): Promise<OpenedConversation | undefined> {
    const turns = this.#of(key).map(({ view, request }, index, all) => ({
      turnId: view.turnId,
      parentTurnId:
        request.parentTurnId === undefined ? (all[index - 1]?.view.turnId ?? null) : request.parentTurnId,
      status: view.status,
      beginning: request.content.slice(0, BEGINNING_CHARACTERS),
      cost: null,
      startedAt: view.startedAt,
      endedAt: view.endedAt,
    }));
    const [first] = turns;
    if (!first) return Promise.resolve(undefined);
    return Promise.resolve({
      title: this.#titles.get(JSON.stringify(key)) ?? null,
      beginning: first.beginning,
      cost: null,
      turns: turns.slice(offset, offset + limit),
      hasMore: turns.length > offset + limit,
    });
  }

  rename(key: ConversationKey, title: string): Promise<boolean> {
    const isKnown = this.#of(key).length > 0;
    if (isKnown) this.#titles.set(JSON.stringify(key), title);
    return Promise.resolve(isKnown);
  }

  remove(key: ConversationKey): Promise<RemoveOutcome> {
    const turns = this.#of(key);
    if (turns.length === 0) return Promise.resolve({ kind: 'unknown' });
    const busy = turns.find(({ view }) => view.status === 'running');
    if (busy) return Promise.resolve({ kind: 'busy', turnId: busy.view.turnId });
    this.removed.push(key.conversationId);
    for (const { view } of turns) this.#removedTurns.add(view.turnId);
    return Promise.resolve({ kind: 'removed' });
  }

  /** Brings back all conversations that were removed. */
  restore(): void {
    this.#removedTurns.clear();
  }

  #of({ projectId, conversationId }: ConversationKey) {
    return [...this.#turns.byId.values()].filter(
      ({ view }) =>
        view.projectId === projectId &&
        view.conversationId === conversationId &&
        !this.#removedTurns.has(view.turnId),
    );
  }
}
