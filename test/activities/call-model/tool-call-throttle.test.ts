import { describe, expect, it } from '@jest/globals';
import { ToolCallThrottle } from '../../../activities/call-model/tool-call-throttle.ts';
import type { ToolCall } from '../../../src/contracts/tools/tool-call.ts';

const call = (name: string, text: string): ToolCall[] => [
  { id: 'c1', type: 'function', function: { name, arguments: text } },
];

const push = (throttle: ToolCallThrottle, calls: ToolCall[], now: number) => {
  const [first] = calls;
  const size = `${first?.function.name}${first?.function.arguments}`.length;
  return throttle.push(size, () => calls, now);
};

describe('ToolCallThrottle', () => {
  it('shows a call as soon as its name is known, and not before', () => {
    const throttle = new ToolCallThrottle();
    expect(push(throttle, call('', ''), 0)).toBeUndefined();
    expect(push(throttle, call('read_file', ''), 1)).toEqual(call('read_file', ''));
  });

  it('shows at most ten states a second', () => {
    const throttle = new ToolCallThrottle();
    let text = '';
    let shown = 0;
    for (let ms = 0; ms < 1000; ms += 5) {
      text += 'x'.repeat(ms + 10);
      if (push(throttle, call('write_to_file', text), ms)) shown += 1;
    }
    expect(shown).toBeGreaterThan(1);
    expect(shown).toBeLessThanOrEqual(10);
  });

  it('keeps the sum of repeated arguments under six times their length, however slow the stream', () => {
    const throttle = new ToolCallThrottle();
    let sum = 0;
    for (let length = 1; length <= 8192; length += 4) {
      sum += JSON.stringify(push(throttle, call('w', 'x'.repeat(length)), length * 1000) ?? '').length;
    }
    expect(sum).toBeLessThan(6 * 8192);
  });

  it('shows the complete state once at the end, unless it was shown already', () => {
    const throttle = new ToolCallThrottle();
    push(throttle, call('read_file', ''), 0);
    expect(throttle.flush()).toBeUndefined();
    push(throttle, call('read_file', '{"path":"a"}'), 10);
    expect(throttle.flush()).toEqual(call('read_file', '{"path":"a"}'));
    expect(throttle.flush()).toBeUndefined();
  });

  it('does not repeat a state that the provider repeats', () => {
    const throttle = new ToolCallThrottle();
    expect(push(throttle, call('read_file', '{}'), 0)).toBeDefined();
    expect(push(throttle, call('read_file', '{}'), 1000)).toBeUndefined();
    expect(throttle.flush()).toBeUndefined();
  });
});
