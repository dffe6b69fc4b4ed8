import { createRequire } from 'node:module';
import type TestSequencer from '@jest/test-sequencer';

/** Its types are those of the script, not of the module that wraps it. */
const { default: Sequencer } = createRequire(import.meta.url)('@jest/test-sequencer') as typeof TestSequencer;

type Tests = Parameters<InstanceType<typeof Sequencer>['sort']>[0];

/**
 * Tests of the project `servers` before all others: they take longest and wait most, and what runs last runs alone.
 * Where nothing is known of earlier runs Jest goes by the size of a file, and the longest are some of the smallest.
 */
class ServersFirst extends Sequencer {
  override sort(tests: Tests): Tests {
    // Synchronous there, and promised by its type to be either.
    const sorted = super.sort(tests) as Tests;
    const isFirst = ({ context }: Tests[number]): boolean => context.config.displayName?.name === 'servers';
    return [...sorted.filter(isFirst), ...sorted.filter((test) => !isFirst(test))];
  }
}

export { ServersFirst as default };
