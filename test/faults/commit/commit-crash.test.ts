/**
 * Tests a commit that dies or sleeps at any operation; test/slow has the scenarios that share most of their steps with
 * these.
 */
import { itSurvivesStrikes, itWritesOnlyWhatWasApproved } from '../support/struck-commit.ts';

itSurvivesStrikes('create', 'append of a draft');
itWritesOnlyWhatWasApproved();
