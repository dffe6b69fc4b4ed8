/** The scenarios that test/faults/commit/commit-crash.test.ts leaves out, one process for each death. */
import { itSurvivesStrikes } from '../faults/commit/struck-commit.ts';

itSurvivesStrikes('overwrite', 'overwrite with a copy');
