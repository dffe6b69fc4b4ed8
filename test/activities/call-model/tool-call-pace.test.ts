import { describe, expect, it } from '@jest/globals';
import { ToolCallPace } from '../../../activities/call-model/tool-call-pace.ts';
import type { ToolCall } from '../../../src/contracts/tools/tool-call.ts';

const call = (name: string, text: string): ToolCall[] => [
  { id: 'c1', type: 'function', function: { name, arguments: text } },
];

const offer = (pace: ToolCallPace, calls: ToolCall[], now: number) => {
  const [asked] = calls;
  const size = `${asked?.function.name}${asked?.function.arguments}`.length;
  return pace.offer(size, () => calls, now);
};

describe('ToolCallPace', () => {
  it('shows a call as soon as its name is known, and not before', () => {
    const pace = new ToolCallPace();
    expect(offer(pace, call('', ''), 0)).toBeUndefined();
    expect(offer(pace, call('read_file', ''), 1)).toEqual(call('read_file', ''));
  });

  it('shows at most ten states a second', () => {
    const pace = new ToolCallPace();
    let text = '';
    let shown = 0;
    for (let ms = 0; ms < 1000; ms += 5) {
      text += 'x'.repeat(ms + 10);
      if (offer(pace, call('write_to_file', text), ms)) shown += 1;
    }
    expect(shown).toBeGreaterThan(1);
    expect(shown).toBeLessThanOrEqual(10);
  });

  it('keeps the sum of repeated arguments under six times their length, however slow the stream', () => {
    const pace = new ToolCallPace();
    let sum = 0;
    for (let length = 1; length <= 8192; length += 4) {
      sum += JSON.stringify(offer(pace, call('w', 'x'.repeat(length)), length * 1000) ?? '').length;
    }
    expect(sum).toBeLessThan(6 * 8192);
  });

  it('shows the complete state once at the end, unless it was shown already', () => {
    const pace = new ToolCallPace();
    offer(pace, call('read_file', ''), 0);
    expect(pace.rest()).toBeUndefined();
    offer(pace, call('read_file', '{"path":"a"}'), 10);
    expect(pace.rest()).toEqual(call('read_file', '{"path":"a"}'));
    expect(pace.rest()).toBeUndefined();
  });

  it('does not repeat a state that the provider repeats', () => {
    const pace = new ToolCallPace();
    expect(offer(pace, call('read_file', '{}'), 0)).toBeDefined();
    expect(offer(pace, call('read_file', '{}'), 1000)).toBeUndefined();
    expect(pace.rest()).toBeUndefined();
  });
});
