import { expect, it } from '@jest/globals';
import type { TurnStatusResponse } from '../../../src/contracts/http/turn-api.ts';
import {
  differenceWords,
  measuresOf,
  measureWords,
  type MeasuredTurn,
  notableMeasures,
} from '../../../src/web/timeline/turn-measures.ts';
import { partOf } from '../../support/part-of.ts';

const turn = (fields: Parameters<typeof partOf<TurnStatusResponse>>[0]): MeasuredTurn => ({
  status: partOf<TurnStatusResponse>({
    startedAt: '2026-01-01T00:00:00.000Z',
    endedAt: '2026-01-01T00:00:02.500Z',
    usage: { promptTokens: 12_000, completionTokens: 30 },
    waste: { duplicatesRefused: 0, retriedTokens: 0, discardedCharacters: 0 },
    cost: null,
    ...fields,
  }),
  spans: [],
  timelineMs: 1,
});

it('two turns are compared measure by measure, with what the other has more or less', () => {
  const one = measuresOf(turn({}));
  const usage = { promptTokens: 9_000, cachedTokens: 5, completionTokens: 30 };
  const other = measuresOf(turn({ usage, cost: { total: 1_250_000, wasted: 0 }, endedAt: null }));
  const rows = one.map((measure, index) => {
    const beside = other[index] ?? measure;
    return [measure.name, measureWords(measure), measureWords(beside), differenceWords(measure, beside)];
  });
  expect(rows).toContainEqual(['Took', '2.5 s', '–', '']);
  expect(rows).toContainEqual(['Cost', '–', '1.25', '']);
  expect(rows).toContainEqual(['Tokens read', '12,000', '9,000', '− 3,000']);
  expect(rows).toContainEqual(['Tokens written', '30', '30', '=']);
});

it('a turn shows the measures that are known and not 0, and also that it cost nothing', () => {
  const told = (fields: Parameters<typeof turn>[0]) => notableMeasures(turn(fields)).map(({ name }) => name);
  expect(told({})).toEqual(['Took', 'Tokens read', 'Tokens written']);
  expect(told({ cost: { total: 0, wasted: 0 } })).toEqual(['Took', 'Cost', 'Tokens read', 'Tokens written']);
});
