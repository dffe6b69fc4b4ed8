import { turnEventSchema, type TurnEvent } from '../../src/contracts/wire/turn-event.ts';

/**
 * One event of every type, with the ids of one turn that asks for a tool and whose second model call is tried twice.
 * docs/http-api.md shows these events and tests send them. The list ends with `done` or with `error`, which have the
 * same id.
 */
export const eventExamples: readonly {
  readonly id: { epoch: number; seq: number };
  readonly event: TurnEvent;
}[] = [
  { id: { epoch: 0, seq: 1 }, event: { type: 'phase', phase: 'action', index: 0, cycle: 0 } },
  { id: { epoch: 101, seq: 2 }, event: { type: 'chunk', content: 'I will look at ' } },
  {
    id: { epoch: 101, seq: 3 },
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
    id: { epoch: 199, seq: 4 },
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
    id: { epoch: 199, seq: 5 },
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
    id: { epoch: 199, seq: 6 },
    event: { type: 'chunk', content: '\n\n**System Notice**: …\n\n', notice: 'cycle_limit' },
  },
  {
    id: { epoch: 199, seq: 7 },
    event: {
      type: 'input_requested',
      inputId: 'my-turn/1',
      kind: 'approval',
      message: 'May FileSystemTool.write_to_file run on a.md?',
      tool: 'FileSystemTool_write_to_file',
      callId: 'call_2',
      arguments: '{"path":"a.md","content":"two\\n"}',
      argsHash: '5b8f1c6f0b9a4a3f0a77b3c93ac1a0b0b2fbd5a6b8c3f49d1f9a1f0f5f0e7d21',
      effect: 'write',
      target: 'a.md',
      diff: '--- a.md\n+++ a.md\n@@ -1 +1 @@\n-one\n+two\n',
      options: ['allow', 'allow_turn', 'edit', 'deny'],
      default: 'deny',
      expiresAt: '2026-01-06T09:00:00.000Z',
    },
  },
  {
    id: { epoch: 199, seq: 8 },
    event: {
      type: 'input_resolved',
      inputId: 'my-turn/1',
      reply: 'allow',
      by: { kind: 'key', name: 'anna' },
      at: '2026-01-05T09:01:00.000Z',
      argsHash: '5b8f1c6f0b9a4a3f0a77b3c93ac1a0b0b2fbd5a6b8c3f49d1f9a1f0f5f0e7d21',
    },
  },
  {
    id: { epoch: 199, seq: 9 },
    event: {
      type: 'steer',
      messageId: 'm-1',
      content: 'And keep it short.',
      by: { kind: 'key', name: 'anna' },
      at: '2026-01-05T09:02:00.000Z',
      interrupted: false,
    },
  },
  { id: { epoch: 202, seq: 9 }, event: { type: 'reset', fromSeq: 10 } },
  {
    id: { epoch: 299, seq: 10 },
    event: {
      type: 'done',
      fullContent: 'I will look at …',
      status: 'completed',
      reason: 'answered',
      usage: { promptTokens: 812, completionTokens: 64 },
    },
  },
  {
    id: { epoch: 299, seq: 10 },
    event: { type: 'error', code: 'model_rate_limited', message: 'The model provider …' },
  },
].map(({ id, event }) => ({ id, event: turnEventSchema.parse(event) }));
