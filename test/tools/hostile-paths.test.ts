/** What reads, lists and writes stays in the workspace; test/slow/hostile-paths.test.ts tries more of it. */
import { describeHostilePaths } from './support/hostile-paths.ts';

describeHostilePaths({ runs: 200, racedMs: 1_500 });
