/** Checks that reads, listings and writes stay in the workspace; test/slow/hostile-paths.test.ts tries more paths. */
import { describeHostilePaths } from './support/hostile-paths.ts';

describeHostilePaths({ runs: 200, racedMs: 1_500 });
