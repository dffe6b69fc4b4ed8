import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { TraceEvent } from '../../../src/contracts/http/trace-api.ts';
import { spansOf } from '../../../src/web/timeline/turn-spans.ts';

const START = Date.parse('2026-01-01T00:00:00.000Z');
const timeOf = (ms: number): string => new Date(START + ms).toISOString();
const event = (id: number, endedMs: number, fields: Partial<TraceEvent>): TraceEvent => ({
  id: String(id),
  projectId: 'p',
  requestId: 't',
  type: 'llm_result',
  source: 'orion',
  summary: '',
  details: {},
  phaseIndex: 0,
  cycleIndex: 0,
  error: null,
  metadata: null,
  createdAt: timeOf(endedMs),
  ...fields,
});

describe('spans', () => {
  it('are model calls, tools, failed attempts and waits, from the first on', () => {
    const usage = { promptTokens: 1_200, cachedTokens: 300, completionTokens: 2 };
    const spans = spansOf(
      [
        event(0, 0, { type: 'orchestration_phase_start' }),
        event(1, 300, { type: 'system_error', error: 'away', details: { durationMs: 200 } }),
        event(2, 1_000, { details: { durationMs: 500, firstTextMs: 50, attempt: 2, usage, cost: 42 } }),
        event(3, 5_100, { type: 'tool_result', details: { durationMs: 100, toolName: 'F.read' } }),
      ],
      [{ inputId: 't/1', at: timeOf(5_000) }],
    );
    expect(spans.map(({ kind, label, beganMs, tookMs }) => [kind, label, beganMs, tookMs])).toEqual([
      ['attempt', 'Model call that failed', 0, 200],
      ['model', 'Model call', 400, 500],
      ['wait', 'Waited for a reply', 900, 4_000],
      ['tool', 'F.read', 4_900, 100],
    ]);
    expect(spans.map(({ facts }) => facts.join(', '))).toEqual([
      'away',
      'attempt 2, first word after 50 ms, 1,200 tokens read, 25 % from a cache, 2 written, cost 0.000042',
      '',
      '',
    ]);
  });

  it('come of any trace, and none is before the first', () => {
    const anyEvent = fc
      .record({
        type: fc.constantFrom<TraceEvent['type']>(
          'llm_result',
          'tool_result',
          'system_error',
          'user_message',
        ),
        details: fc.oneof(fc.jsonValue(), fc.record({ durationMs: fc.nat(9_999) })) as fc.Arbitrary<
          TraceEvent['details']
        >,
        endedMs: fc.nat(99_999),
        id: fc.nat(),
      })
      .map(({ id, endedMs, ...fields }) => event(id, endedMs, fields));
    fc.assert(
      fc.property(fc.array(anyEvent), fc.array(fc.nat(99_999)), (trace, replied) => {
        const spans = spansOf(
          trace,
          replied.map((ms, n) => ({ inputId: `t/${n}`, at: timeOf(ms) })),
        );
        const began = spans.map(({ beganMs }) => beganMs);
        expect(began).toEqual(began.toSorted((a, b) => a - b));
        for (const { beganMs, tookMs } of spans) expect([beganMs >= 0, tookMs >= 0]).toEqual([true, true]);
      }),
    );
  });
});
