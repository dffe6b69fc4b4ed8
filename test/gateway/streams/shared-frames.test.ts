import { describe, expect, it } from '@jest/globals';
import type { TurnEvent } from '../../../src/contracts/wire/turn-event.ts';
import { shareFrames } from '../../../src/gateway/streams/shared-frames.ts';
import { createCompatibleEncoder, createNativeEncoder } from '../../../src/gateway/streams/turn-encoders.ts';
import { usage } from '../support/gateway-world.ts';

describe('shared frames', () => {
  it('are encoded once for all viewers, but never taken for another event or turn', () => {
    const encode = shareFrames(createCompatibleEncoder);
    const event: TurnEvent = { type: 'chunk', content: 'a' };
    const first = encode('r1', { epoch: 1, seq: 1 }, event);
    expect(encode('r1', { epoch: 1, seq: 1 }, event)).toBe(first);
    expect(encode('r1', { epoch: 1, seq: 2 }, event).toString()).toContain('id: 1-2\n');
    expect(encode('r2', { epoch: 1, seq: 2 }, event).toString()).toContain('"requestId":"r2"');
  });

  it('are shared by the viewers of output, which has no id', () => {
    const encode = shareFrames(createNativeEncoder);
    const output = { type: 'tool_output', callId: 'c', stream: 'stderr', content: 'a' } as const;
    expect(encode('r1', null, output)).toBe(encode('r1', null, output));
  });

  it.each([createNativeEncoder, createCompatibleEncoder])(
    'have the same bytes under one id, whether `done` came over the lane or from Postgres (%p)',
    (createEncoder) => {
      const bytes = (event: TurnEvent) => shareFrames(createEncoder)('r1', { epoch: 1, seq: 1 }, event);
      const rest = { status: 'completed', reason: 'answered', usage } as const;
      const live = bytes({ type: 'done', fullContent: 'a', ...rest });
      expect(bytes({ type: 'done', ...rest, fullContent: 'a' }).toString()).toBe(live.toString());
      // Fields that a later contract may add are kept.
      const known = { type: 'done', ...rest, fullContent: 'a' } as const;
      const one = bytes(Object.assign({ unapplied: ['x'], cost: 1 }, known)).toString();
      const two = bytes(Object.assign({ cost: 1, unapplied: ['x'] }, known)).toString();
      expect(one).toContain('"cost":1,"unapplied":["x"]');
      expect(two).toBe(one);
    },
  );
});
