/** The gateway's doubles keep to what its ports promise; the same suites run on Postgres and Temporal. */
import { FakeTurns } from './support/fake-turns.ts';
import { FakeWriteSessions } from './support/fake-write-sessions.ts';
import { FakeMessages } from './support/gateway-world.ts';
import { describeMessageStore } from './support/message-store-contract.ts';
import { describeTurnStarter } from './support/turn-starter-contract.ts';
import { describeWriteSessions } from './support/write-sessions-contract.ts';

describeMessageStore('in memory', () => new FakeMessages());

describeTurnStarter('in memory', () => {
  const turns = new FakeTurns();
  return {
    turns,
    end: (turnId) => {
      const usage = { promptTokens: 1, completionTokens: 1 };
      const done = { type: 'done', status: 'completed', reason: 'answered', fullContent: '', usage } as const;
      turns.end(turnId, done);
      return Promise.resolve();
    },
  };
});

describeWriteSessions('in memory', () => ({
  sessions: new FakeWriteSessions(),
  stored: () => Promise.resolve({ sha256: 'd'.repeat(64), bytes: 5, lines: 1 }),
}));
