/** Explores the rest of the 100,000 schedules whose first fifth test/event-log/schedules.test.ts explores. */
import { describe } from '@jest/globals';
import { itHoldsInSchedules } from '../event-log/schedule/explore.ts';

describe('every viewer holds the same sequence, complete and with one end', () => {
  itHoldsInSchedules(20_001, 100_000);
});
