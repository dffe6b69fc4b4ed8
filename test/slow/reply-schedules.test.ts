/** Explores the rest of the 100,000 schedules whose first ones test/protocol/reply-schedules.test.ts explores. */
import { describe } from '@jest/globals';
import { repliesHoldInSchedules } from '../protocol/schedule/explore-replies.ts';
import { shareOf } from './share.ts';

describe('nothing runs without its reply or twice, no acknowledged reply is lost, no message either', () => {
  repliesHoldInSchedules(2_001, 2_000 + shareOf(98_000));
});
