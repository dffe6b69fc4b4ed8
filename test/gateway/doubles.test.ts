/** Checks that the gateway's doubles keep the promises of its ports; the same suites run on Postgres and Temporal. */
import { randomUUID } from 'node:crypto';
import { inputIdOf } from '../../src/contracts/inputs/input-id.ts';
import { describeConversationRepository } from '../db/support/conversation-repository-contract.ts';
import { describeConversations } from '../db/support/conversations-contract.ts';
import { FakeInputs } from './support/fake-inputs.ts';
import { FakeTurns } from './support/fake-turns.ts';
import { FakeWriteSessions } from './support/fake-write-sessions.ts';
import { FakeMessages } from './support/gateway-world.ts';
import { done, FakeSources, loggedEvent, TURN } from './support/hub-world.ts';
import { describeInputLists } from './support/input-lists-contract.ts';
import { MemoryConversationLists } from './support/memory-conversation-lists.ts';
import { MemoryBytes } from './support/memory-bytes.ts';
import { MemoryConversations } from './support/memory-conversations.ts';
import { MemoryTraces } from './support/memory-traces.ts';
import { MemoryTurnRows } from './support/memory-turn-rows.ts';
import { describeMessageRepository } from '../db/support/message-repository-contract.ts';
import { describeStoredBytes } from './support/stored-bytes-contract.ts';
import { describeTraceList } from '../db/support/trace-list-contract.ts';
import { describeTurnRows } from '../db/support/turn-rows-contract.ts';
import { describeTurnSources } from './support/turn-sources-contract.ts';
import { describeTurnStarter, newTurn } from './support/turn-starter-contract.ts';
import { describeWriteSessions } from './support/write-sessions-contract.ts';

describeMessageRepository('in memory', () => new FakeMessages());

/** Returns turns that a test can end. */
const turnsToEnd = () => {
  const turns = new FakeTurns();
  return { turns, end: async (turnId: string) => void turns.end(turnId, done) };
};

describeTurnStarter('in memory', turnsToEnd);

describeTurnRows('in memory', () => {
  const turns = new MemoryTurnRows();
  return { turns, remove: turns.remove };
});

describeConversations('in memory', () => {
  const { turns, end } = turnsToEnd();
  return { conversations: new MemoryConversationLists(turns), start: (turn) => turns.start(turn), end };
});

describeConversationRepository('in memory', () => {
  const { turns, end } = turnsToEnd();
  return { conversations: new MemoryConversations(turns), start: (turn) => turns.start(turn), end };
});

describeTurnSources('turns in memory', () => {
  const { turns, end } = turnsToEnd();
  const begin = async (words: readonly string[]) => {
    const turn = newTurn();
    await turns.start(turn);
    turns.say(turn.turnId, ...words);
    return turn.turnId;
  };
  return { sources: turns, begin, end };
});

describeTurnSources('one turn, played by a test', () => {
  const sources = new FakeSources();
  sources.pageSize = 2;
  const begin = async (words: readonly string[]) => {
    sources.store(...words.map((word, i) => loggedEvent(`101-${i + 1}`, word, i === 0 ? null : undefined)));
    return TURN;
  };
  const end = async () => sources.end(...sources.durableList, loggedEvent('101-9', done, '101-3'));
  return { sources, begin, end };
});

describeStoredBytes('in memory', () => new MemoryBytes());

describeInputLists('in memory', () => {
  const inputs = new FakeInputs();
  return {
    requests: inputs,
    ask: async (projectId) => inputs.ask(randomUUID(), projectId).turnId,
    deny: async (turnId) =>
      void (await inputs.reply(turnId, { inputId: inputIdOf(turnId, 1), reply: 'deny' })),
  };
});

describeTraceList('in memory', () => {
  const traces = new MemoryTraces();
  return { traces, keep: (trace) => traces.keep(trace) };
});

describeWriteSessions('in memory', () => ({
  sessions: new FakeWriteSessions(),
  stored: () => Promise.resolve({ sha256: 'd'.repeat(64), bytes: 5, lines: 1 }),
}));
