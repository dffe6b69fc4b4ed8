import type {
  ConversationLists,
  ConversationRow,
  ListedTurn,
} from '../../../src/db/conversations/conversation-lists.ts';
import type { FakeTurns } from './fake-turns.ts';

const BEGINNING_CHARACTERS = 400;

/**
 * Lists turns in memory, and their conversations. `describeConversations` holds it to the lists in Postgres. Notes are
 * not supported.
 */
export class MemoryConversationLists implements ConversationLists {
  readonly #turns: FakeTurns;

  constructor(turns: FakeTurns) {
    this.#turns = turns;
  }

  listConversations(window: Parameters<ConversationLists['listConversations']>[0]) {
    const turns = this.#of(window.projectId);
    const ids = new Set(turns.map(({ conversationId }) => conversationId));
    const rows = [...ids].map((id) => conversationOf(turns.filter((turn) => turn.conversationId === id)));
    const sought = window.search?.toLowerCase() ?? '';
    return Promise.resolve(
      pageOf(
        rows.filter(({ beginning }) => beginning.toLowerCase().includes(sought)),
        window,
      ),
    );
  }

  listTurns(window: Parameters<ConversationLists['listTurns']>[0]) {
    const { conversationId } = window;
    const turns = this.#of(window.projectId);
    const wanted =
      conversationId === undefined ? turns : turns.filter((turn) => turn.conversationId === conversationId);
    return Promise.resolve(pageOf(wanted, window));
  }

  /** Returns the turns of a project, newest first. */
  #of(projectId: string): ListedTurn[] {
    const all = [...this.#turns.byId.values()].filter(({ view }) => view.projectId === projectId);
    return all.toReversed().map(({ view, request }) => {
      const { turnId, conversationId, status, reason, protocol, mode, startedAt, endedAt } = view;
      const beginning = request.content.slice(0, BEGINNING_CHARACTERS);
      const model = request.model ?? 'small';
      return { turnId, conversationId, beginning, status, reason, protocol, mode, model, startedAt, endedAt };
    });
  }
}

/** Returns the row of the conversation that has these turns, newest first. */
const conversationOf = (turns: readonly ListedTurn[]): ConversationRow => {
  const [newest, first] = [turns[0], turns.at(-1)];
  if (!newest || !first) throw new Error('expected a turn of the conversation');
  return {
    conversationId: first.conversationId,
    title: null,
    beginning: first.beginning,
    lastTurn: { turnId: newest.turnId, status: newest.status },
    cost: null,
    wastedCost: 0,
    startedAt: first.startedAt,
    updatedAt: newest.startedAt,
  };
};

const pageOf = <T>(rows: readonly T[], { limit, offset }: { limit: number; offset: number }) => ({
  rows: rows.slice(offset, offset + limit),
  hasMore: rows.length > offset + limit,
});
