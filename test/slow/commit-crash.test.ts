/** Plays the scenarios that test/faults/commit/commit-crash.test.ts leaves out, with one process for each death. */
import { itSurvivesStrikes } from '../faults/support/struck-commit.ts';

itSurvivesStrikes('overwrite', 'overwrite with a copy', 'overwrite that was approved');
