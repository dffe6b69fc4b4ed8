/** Checks that reads, listings and writes stay in the workspace, over many more paths than `npm test` tries. */
import { jest } from '@jest/globals';
import { describeHostilePaths } from '../tools/support/hostile-paths.ts';

jest.setTimeout(300_000);

describeHostilePaths({ runs: 1_000, racedMs: 8_000 });
