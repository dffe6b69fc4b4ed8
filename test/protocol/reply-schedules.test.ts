/**
 * Plays random schedules of two to five people who reply to the requests of one turn (docs/inputs.md "Who decides"): at
 * once, late, again because an answer was lost, and against each other. Meanwhile files change, requests expire,
 * messages interrupt, the user cancels, and workers die before, in and after each execution. test/slow plays the rest
 * of 100,000 schedules.
 */
import { describe } from '@jest/globals';
import { repliesHoldInSchedules } from './schedule/explore-replies.ts';

describe('nothing runs without its reply or twice, no acknowledged reply is lost, no message either', () => {
  repliesHoldInSchedules(1, 2_000);
});
