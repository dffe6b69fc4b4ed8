import { createRequire } from 'node:module';
import { join } from 'node:path';
import type TestSequencer from '@jest/test-sequencer';

/** Its types are those of the script, not of the module that wraps it. */
const { default: Sequencer } = createRequire(import.meta.url)('@jest/test-sequencer') as typeof TestSequencer;

type Tests = Parameters<InstanceType<typeof Sequencer>['sort']>[0];

/**
 * Beginnings of paths whose tests take longest, longest first: a second or two are what the others take. What runs last
 * should be short, or it runs alone.
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
  'test/gateway/refused-bodies',
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
 * Tests of the project `servers` before all others, which they outlast and beside which they wait. Where nothing is
 * known of earlier runs Jest goes by the size of a file, and the longest are some of the smallest.
 */
class ServersFirst extends Sequencer {
  override sort(tests: Tests): Tests {
    // Synchronous there, and promised by its type to be either. What is equal here stays as it is there.
    const sorted = [...(super.sort(tests) as Tests)];
    return sorted.sort((a, b) => Number(isOnServers(b)) - Number(isOnServers(a)) || rankOf(a) - rankOf(b));
  }
}

export { ServersFirst as default };
