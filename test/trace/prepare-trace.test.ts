import { describe, expect, it } from '@jest/globals';
import { DETAILS_BYTES, prepareTrace, type RawTrace } from '../../src/trace/prepare-trace.ts';
import { createTraceRecorder } from '../../src/trace/trace-recorder.ts';
import type { PreparedTrace } from '../../src/db/turns/trace-repository.ts';

const trace = (more: Partial<RawTrace> = {}): RawTrace => ({
  projectId: 'p',
  requestId: 'r',
  type: 'tool_result',
  source: 'tool',
  summary: 'FileSystemTool.read_file',
  ...more,
});

describe('prepareTrace', () => {
  it('keeps at most 256 KiB of details, says so, and never cuts a character', () => {
    const result = '😀'.repeat(200_000);
    const { details } = prepareTrace(trace({ details: { path: 'a', result } }));
    expect(Buffer.byteLength(details ?? '')).toBeLessThanOrEqual(DETAILS_BYTES);
    const kept = JSON.parse(details ?? '') as { path: string; result: string };
    expect(kept.path).toBe('a');
    expect(kept.result).toMatch(/^(😀)+\n… truncated, \d+ of 800000 bytes shown$/u);
  });

  it('keeps index 0 as 0', () => {
    expect(prepareTrace(trace({ phaseIndex: 0, cycleIndex: 0 }))).toMatchObject({
      phaseIndex: 0,
      cycleIndex: 0,
    });
  });

  it('makes NUL and lone surrogates safe everywhere', () => {
    const bad = 'a\0b\ud800c';
    const safe = prepareTrace(
      trace({ summary: bad, error: bad, details: { [bad]: [bad] }, metadata: { bad } }),
    );
    const text = JSON.stringify(safe);
    expect(text).not.toContain(String.raw`\\u0000`);
    expect(text).not.toMatch(/ud800/i);
    expect(safe).toMatchObject({ summary: 'a�b�c', error: 'a�b�c', details: '{"a�b�c":["a�b�c"]}' });
  });

  it('redacts summary, error, details and metadata', () => {
    const secret = 'sk-canary-0123456789';
    const prepared = prepareTrace(
      trace({
        summary: secret,
        error: `refused ${secret}`,
        details: secret,
        metadata: { token: 'canary-2' },
      }),
    );
    expect(JSON.stringify(prepared)).not.toContain('canary');
  });

  it('takes what is no JSON: cycles, big numbers, buffers, errors', () => {
    const details: Record<string, unknown> = { n: 10n, buffer: Buffer.from('x'), error: new Error('no') };
    details['self'] = details;
    expect(JSON.parse(prepareTrace(trace({ details })).details ?? '')).toEqual({
      n: '10',
      buffer: '<binary data, 1 bytes>',
      error: {},
      self: '<circular>',
    });
  });
});

describe('createTraceRecorder', () => {
  const service = (store: (traces: readonly PreparedTrace[]) => Promise<void>) => {
    const warnings: object[] = [];
    const log = { warn: (fields: object) => void warnings.push(fields) };
    return { warnings, traces: createTraceRecorder({ repository: { store }, log }) };
  };

  it('never rejects: a store that is down costs the traces, and one line in the log', async () => {
    const { traces, warnings } = service(() => Promise.reject(new Error('relation does not exist')));
    await expect(traces.record(trace(), trace())).resolves.toBeUndefined();
    expect(warnings).toMatchObject([{ requestId: 'r', traces: ['tool_result', 'tool_result'] }]);
  });

  it('keeps nobody waiting while the database restarts, and stores them once it is back', async () => {
    const stored = Promise.withResolvers<readonly PreparedTrace[]>();
    let isDown = true;
    const { traces, warnings } = service((batch) => {
      if (isDown) return Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));
      stored.resolve(batch);
      return Promise.resolve();
    });
    await traces.record(trace());
    isDown = false;
    expect(await stored.promise).toMatchObject([{ requestId: 'r' }]);
    expect(warnings).toEqual([]);
  });

  it('never rejects over details that throw when they are read', async () => {
    const { traces, warnings } = service(() => Promise.resolve());
    const details = {
      get boom(): never {
        throw new Error('boom');
      },
    };
    await traces.record(trace({ details }));
    expect(warnings).toHaveLength(1);
  });
});
