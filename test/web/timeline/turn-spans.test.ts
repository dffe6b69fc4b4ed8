import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { TraceEvent } from '../../../src/contracts/http/trace-api.ts';
import { spansOfTurn, timelineMsOf } from '../../../src/web/timeline/turn-spans.ts';

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
  it('are model calls, tools, failed attempts and waits, from the beginning of the turn on', () => {
    const usage = { promptTokens: 1_200, cachedTokens: 300, completionTokens: 2 };
    const spans = spansOfTurn({
      startedAt: timeOf(0),
      trace: [
        event(0, 0, { type: 'orchestration_phase_start' }),
        event(1, 300, {
          type: 'system_error',
          error: 'away',
          details: { durationMs: 200, attempt: 1, step: 1 },
        }),
        event(2, 1_000, {
          details: { durationMs: 500, firstTextMs: 50, attempt: 2, usage, cost: 42, step: 1 },
        }),
        event(3, 5_100, { type: 'tool_result', details: { durationMs: 100, toolName: 'F.read' } }),
      ],
      replies: [{ inputId: 't/1', at: timeOf(5_000) }],
    });
    expect(spans.map(({ kind, label, startMs, tookMs }) => [kind, label, startMs, tookMs])).toEqual([
      ['attempt', 'Model call that failed', 100, 200],
      ['model', 'Model call', 500, 500],
      ['wait', 'Waited for a reply', 1_000, 4_000],
      ['tool', 'F.read', 5_000, 100],
    ]);
    expect(spans.map(({ facts }) => facts.join(', '))).toEqual([
      'away',
      'attempt 2, first word after 50 ms, 1,200 tokens read, 25 % from a cache, 2 written, cost 0.000042',
      '',
      '',
    ]);
  });

  it('are attempts that were lost, too, each with the wait for the next', () => {
    const phase = (id: number, ms: number, phaseIndex: number): TraceEvent =>
      event(id, ms, { type: 'orchestration_phase_start', phaseIndex });
    const spans = spansOfTurn({
      startedAt: timeOf(0),
      trace: [
        phase(1, 100, 0),
        event(2, 9_000, { details: { durationMs: 3_000, step: 1, attempt: 2 } }),
        phase(3, 9_000, 1),
        event(4, 9_500, {
          type: 'system_error',
          error: 'away',
          phaseIndex: 1,
          details: { durationMs: 500, step: 2, attempt: 1 },
        }),
        event(5, 20_000, { phaseIndex: 1, details: { durationMs: 1_000, step: 2, attempt: 4 } }),
        phase(6, 20_000, 2),
        event(7, 30_000, { phaseIndex: 2, error: 'out of attempts' }),
        event(8, 30_000, { type: 'tool_result', source: 'system', summary: 'not run' }),
      ],
      replies: [],
    });
    expect(spans.map(({ kind, label, startMs, tookMs }) => [kind, label, startMs, tookMs])).toEqual([
      ['lost', 'Lost attempt', 100, 5_900],
      ['model', 'Model call', 6_000, 3_000],
      ['attempt', 'Model call that failed', 9_000, 500],
      ['lost', '2 lost attempts', 9_500, 9_500],
      ['model', 'Model call', 19_000, 1_000],
      ['lost', 'Lost model call', 20_000, 10_000],
    ]);
    expect(new Set(spans.map(({ id }) => id)).size).toBe(spans.length);
    expect(timelineMsOf({ startedAt: timeOf(0), endedAt: timeOf(30_500) }, spans)).toBe(30_500);
    expect(timelineMsOf({ startedAt: timeOf(0), endedAt: null }, spans)).toBe(30_000);
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
        const replies = replied.map((ms, n) => ({ inputId: `t/${n}`, at: timeOf(ms) }));
        const spans = spansOfTurn({ startedAt: timeOf(50_000), trace, replies });
        const began = spans.map(({ startMs }) => startMs);
        expect(began).toEqual(began.toSorted((a, b) => a - b));
        for (const { startMs, tookMs } of spans) expect([startMs >= 0, tookMs >= 0]).toEqual([true, true]);
      }),
    );
  });
});
