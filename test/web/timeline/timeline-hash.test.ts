/**
 * Checks that what was opened in a timeline opens again under its address, whatever has become of the address
 * meanwhile.
 */
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readTimelineHash, timelineHash } from '../../../src/web/timeline/timeline-hash.ts';

const id = fc.stringMatching(/^[A-Za-z0-9_.:-]{1,128}$/);
const spanId = fc.oneof(
  fc.nat().map(String),
  fc.tuple(id, fc.nat(99)).map(([turn, n]) => `${turn}/${n}`),
);
const window = fc.record({ fromMs: fc.nat(90_000_000), widthMs: fc.integer({ min: 5, max: 90_000_000 }) });
const list = fc
  .record({ window, open: fc.uniqueArray(spanId, { maxLength: 40 }) }, { requiredKeys: ['open'] })
  .filter(({ open, window: zoom }) => zoom !== undefined || open.length > 0);
const timeline = fc.record(
  {
    turnId: id,
    comparedTurnId: id,
    listStates: fc.record({ steps: list, this: list, other: list }, { requiredKeys: [] }),
  },
  { requiredKeys: ['turnId', 'listStates'] },
);

it('any timeline is read from its address as it was', () => {
  fc.assert(
    fc.property(timeline, (place) => {
      expect(readTimelineHash(timelineHash(place))).toEqual(place);
    }),
  );
});

it('any other address opens nothing it does not name, and none is too long to be read', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (rest) => {
      const place = readTimelineHash(`#did-${rest}`);
      const again = place && readTimelineHash(timelineHash(place));
      expect(again).toEqual(place);
    }),
  );
  expect(readTimelineHash('#other')).toBeUndefined();
  expect(readTimelineHash('#did-')).toBeUndefined();
});

it('the address is short where little is open, and names no more than the 40 spans that were opened last', () => {
  expect(timelineHash({ turnId: 'a', listStates: { steps: { open: [] } } })).toBe('#did-a');
  const open = Array.from({ length: 50 }, (_, n) => String(n));
  const address = timelineHash({ turnId: 'a', comparedTurnId: 'b', listStates: { other: { open } } });
  expect(address).toMatch(/^#did-a,b;other=10,11,/);
  expect(readTimelineHash('#did-a;steps=~9-3,1,1,<b>;steps=2;what=ever')).toEqual({
    turnId: 'a',
    listStates: { steps: { open: ['1'] } },
  });
});
