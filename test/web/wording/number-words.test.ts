import { expect, it } from '@jest/globals';
import { byteWords, durationWords } from '../../../src/web/wording/number-words.ts';

it('a duration is given in milliseconds, in seconds, or in minutes and seconds', () => {
  expect([5, 3_400, 125_000].map(durationWords)).toEqual(['5 ms', '3.4 s', '2 min 5 s']);
});

it('a size is given in bytes, KiB or MiB', () => {
  const bytes = [345, 1_020, 5_120, 1_023 * 1_024, 3 * 1_024 * 1_024];
  expect(bytes.map(byteWords)).toEqual(['345 B', '1,020 B', '5.0 KiB', '1,023.0 KiB', '3.0 MiB']);
});

it('the unit is that of the rounded value', () => {
  const durations = [999.4, 999.6, 59_949, 59_960];
  expect(durations.map(durationWords)).toEqual(['999 ms', '1.0 s', '59.9 s', '1 min 0 s']);
  expect([1_023, 1_048_524, 1_048_575].map(byteWords)).toEqual(['1,023 B', '1,023.9 KiB', '1.0 MiB']);
});
