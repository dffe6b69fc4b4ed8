import { turnEventSchema, type TurnEvent } from '../../src/contracts/wire/turn-event.ts';

/** One event of every type, with the id it might have: docs/http-api.md shows them, tests send them. */
export const eventExamples: readonly {
  readonly id: { epoch: number; seq: number };
  readonly event: TurnEvent;
}[] = [
  { epoch: 0, event: { type: 'phase', phase: 'action', index: 0, cycle: 0 } },
  { epoch: 101, event: { type: 'chunk', content: 'I will look at ' } },
  {
    epoch: 199,
    event: {
      type: 'tool_calls',
      calls: [
        {
          id: 'call_1',
          type: 'function',
          function: { name: 'FileSystemTool_read_file', arguments: '{"path":"README.md"}' },
        },
      ],
    },
  },
  {
    epoch: 199,
    event: {
      type: 'tool_result',
      callId: 'call_1',
      name: 'FileSystemTool_read_file',
      ok: true,
      durationMs: 12,
      bytes: 345,
    },
  },
  {
    epoch: 199,
    event: {
      type: 'write_session',
      sessionId: '0b8e1b86-6f0c-4f5a-9d0f-2f6f6c1f1c11',
      stage: 'committed',
      target: 'docs/a.md',
      bytes: 5_120,
      lines: 160,
      sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    },
  },
  {
    epoch: 199,
    event: { type: 'chunk', content: '\n\n**System Notice**: …\n\n', notice: 'cycle_limit' },
  },
  { epoch: 202, event: { type: 'reset', fromSeq: 7 } },
  {
    epoch: 299,
    event: {
      type: 'done',
      fullContent: 'I will look at …',
      status: 'completed',
      reason: 'answered',
      usage: { promptTokens: 812, completionTokens: 64 },
    },
  },
  { epoch: 299, event: { type: 'error', code: 'model_rate_limited', message: 'The model provider …' } },
].map(({ epoch, event }, index) => ({
  id: { epoch, seq: index + 1 },
  event: turnEventSchema.parse(event),
}));
