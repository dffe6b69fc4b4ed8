import { describe, expect, it } from '@jest/globals';
import { traceTypeSchema } from '../../../src/contracts/turn/trace-event.ts';
import { TraceCarrier } from '../../../workflows/turn/trace-carrier.ts';
import type { TraceRecord } from '../../../src/protocol/ports/trace-service.ts';

const record = (type: TraceRecord['type'], more: Partial<TraceRecord> = {}): TraceRecord => ({
  projectId: 'p',
  requestId: 'r',
  type,
  source: 'system',
  summary: type,
  ...more,
});

const carrier = () => {
  let now = 1_000;
  return new TraceCarrier({ now: () => (now += 1) });
};

describe('TraceCarrier', () => {
  it('gives every record of the core a place, also those that activities store', () => {
    const traces = carrier();
    for (const type of [
      'orchestration_phase_start',
      'llm_call',
      'llm_result',
      'orchestration_phase_end',
    ] as const) {
      traces.record(record(type, { phaseIndex: 0, cycleIndex: 0 }));
    }
    expect(traces.pending()).toMatchObject({
      ordinal: 4,
      phaseIndex: 0,
      cycleIndex: 0,
      records: [
        { ordinal: 1, type: 'orchestration_phase_start', at: 1_001 },
        { ordinal: 4, type: 'orchestration_phase_end' },
      ],
    });
  });

  it('carries a record until an activity with it has ended, and no longer', () => {
    const traces = carrier();
    traces.record(record('tool_registration'));
    const lost = traces.pending();
    traces.record(record('duplicate_tool_call'));
    const done = traces.pending();
    expect(done.records).toEqual([...lost.records, expect.objectContaining({ ordinal: 2 })]);
    traces.record(record('system_error'));
    traces.noteStored(done);
    expect(traces.pending().records).toMatchObject([{ type: 'system_error' }]);
  });

  it('carries no words of user, model or tool', () => {
    const traces = carrier();
    const canary = 'canary-text';
    for (const type of traceTypeSchema.options) {
      if (['system_error', 'tool_registration', 'write_session'].includes(type)) continue;
      const summary = type === 'user_message' ? canary : type;
      traces.record(record(type, { summary, details: type.includes('phase') ? undefined : canary }));
    }
    // The record of a duplicate is small, and is the carrier's own.
    const words = traces.pending().records.filter(({ type }) => type !== 'duplicate_tool_call');
    expect(words.map(({ type }) => type)).toContain('user_message');
    expect(JSON.stringify(words)).not.toContain(canary);
  });

  it('stays small: long summaries and errors are cut, large details left out', () => {
    const traces = carrier();
    const long = '💥'.repeat(10_000);
    traces.record(record('system_error', { summary: long, error: long, details: { long } }));
    expect(JSON.stringify(traces.pending()).length).toBeLessThan(2_000);
  });

  it('stays far below what Temporal takes, also with thousands of duplicates in one answer', () => {
    const traces = carrier();
    for (let i = 0; i < 20_000; i += 1) traces.record(record('duplicate_tool_call'));
    const carried = traces.pending();
    expect(JSON.stringify(carried).length).toBeLessThan(64 * 1024);
    traces.noteStored(carried);
    traces.record(record('orion_response'));
    expect(traces.pending().records).toMatchObject([{ ordinal: 20_001, type: 'orion_response' }]);
  });

  it('has room for a small record after one that was too large for what was left', () => {
    const traces = carrier();
    const large = (): TraceRecord => record('duplicate_tool_call', { details: 'x'.repeat(900) });
    for (let i = 0; i < 60; i += 1) traces.record(large());
    const full = traces.pending().records.length;
    traces.record(record('system_error'));
    expect(traces.pending().records.slice(full)).toMatchObject([{ type: 'system_error' }]);
  });

  it('prefers what an activity recorded to the record of its loss', () => {
    const traces = carrier();
    traces.record(record('llm_call'));
    const lost = { key: 'llm_result:1', type: 'llm_result', source: 'orion', summary: 'lost' } as const;
    traces.recordLost(lost);
    expect(traces.pending()).toMatchObject({ ordinal: 1, records: [{ ordinal: 1, key: 'llm_result:1' }] });
  });
});
