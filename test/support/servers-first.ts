import { createRequire } from 'node:module';
import { join } from 'node:path';
import type TestSequencer from '@jest/test-sequencer';

/**
 * The module is loaded with `require` because its types describe its CommonJS exports, not those of the ES module that
 * wraps them.
 */
const { default: Sequencer } = createRequire(import.meta.url)('@jest/test-sequencer') as typeof TestSequencer;

type Tests = Parameters<InstanceType<typeof Sequencer>['sort']>[0];

/**
 * Beginnings of the paths of the tests that take longest, longest first; other tests take a second or two. A long test
 * that starts last would run while nothing else does.
 */
const LONGEST = [
  'test/web/browser/',
  'test/faults/',
  'test/e2e/',
  'test/examples/',
  'test/workflows/',
  'test/write-session-service/',
  'test/tools/command/',
  'test/tools/mcp/',
  'test/tools/stalls',
  'test/cli/prompt-line',
  'test/tools/hostile-paths',
  'test/stack/',
  'test/gateway/requests/refused-bodies',
  'test/gateway/connections/',
  'test/live/',
  'test/protocol/',
  'test/tools/',
  'test/gateway/',
];

type Test = Tests[number];

const isOnServers = ({ context }: Test): boolean => context.config.displayName?.name === 'servers';

const rankOf = ({ path, context }: Test): number => {
  const rank = LONGEST.findIndex((beginning) => path.startsWith(join(context.config.rootDir, beginning)));
  return rank === -1 ? LONGEST.length : rank;
};

/**
 * Puts the tests of the project `servers` first: they take longer than all others, and spend much of it waiting.
 * Without figures of earlier runs Jest sorts by file size, and some of the longest tests are the smallest files.
 */
class ServersFirst extends Sequencer {
  override sort(tests: Tests): Tests {
    // The result is an array here, although its type allows a promise. Tests that are equal here keep the order that
    // Jest gave them.
    const sorted = [...(super.sort(tests) as Tests)];
    return sorted.sort((a, b) => Number(isOnServers(b)) - Number(isOnServers(a)) || rankOf(a) - rankOf(b));
  }
}

export { ServersFirst as default };
