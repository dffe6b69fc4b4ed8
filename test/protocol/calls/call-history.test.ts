/** Covers which calls may run again in a turn (docs/protocol.md "Duplicates"). */
import { describe, expect, it } from '@jest/globals';
import type { ToolDeclaration, ToolResult } from '../../../src/contracts/tools/tool-call.ts';
import { CallHistory } from '../../../src/protocol/calls/call-history.ts';
import type { PollComparison } from '../../../src/protocol/ports/tool-executor.ts';
import { declareTool } from '../../support/fake-ports.ts';

const TOOLS = {
  r: declareTool('read', 'read'),
  w: declareTool('write', 'write'),
  s: declareTool('send', 'write', { idempotentHint: false }),
  p: declareTool('poll', 'poll', { volatileFields: ['tick'] }),
} satisfies Record<string, ToolDeclaration>;

const OUTCOMES = {
  ok: { success: true, result: 'fine' },
  no: { success: false, error: 'not found' },
  passing: { success: false, error: 'HTTP 503', retryable: true },
  unknown: { success: false, error: 'OUTCOME_UNKNOWN' },
} satisfies Record<string, Partial<ToolResult>>;

const result = (outcome: Partial<ToolResult>): ToolResult => ({
  toolCallId: 'i',
  toolName: 't',
  success: true,
  attempts: 1,
  durationMs: 0,
  timestamp: '',
  ...outcome,
});

/**
 * Checks a story of calls in order: `w1 ok` means that the call w1 ran and succeeded, `w1 refused` that it may not run
 * now. The letter names the tool, the rest tells its calls apart.
 */
const expectStory = (story: string): void => {
  const history = new CallHistory();
  for (const line of story.split(', ')) {
    const [call = '', outcome = ''] = line.split(' ');
    const permission = history.permissionFor(call);
    expect(`${line}: ${permission ? 'may run' : 'refused'}`).toBe(
      `${line}: ${outcome === 'refused' ? 'refused' : 'may run'}`,
    );
    if (!permission) continue;
    const tool = TOOLS[call.charAt(0) as keyof typeof TOOLS];
    history.add(call, tool, permission, result(OUTCOMES[outcome as keyof typeof OUTCOMES]));
  }
};

describe('what may run again', () => {
  it.each([
    ['a read, never by itself', 'r1 ok, r1 refused, r2 ok, r1 refused'],
    ['a read, after any executed write', 'r1 ok, w1 ok, r1 ok, r1 refused'],
    ['a read, even after a failed write', 'r1 ok, w1 no, r1 ok, r1 refused'],
    ['every read, by one write', 'r1 ok, r2 ok, w1 ok, r1 ok, r2 ok, r1 refused'],
    ['a write, never by itself', 'w1 ok, w1 refused, r1 ok, w1 refused'],
    ['a write, after another write succeeded', 'w1 ok, w2 ok, w1 ok, w1 refused'],
    ['a write, not after another write failed', 'w1 ok, w2 no, w1 refused'],
    ['a failing test, after each edit', 'w1 no, w2 ok, w1 no, w3 ok, w1 no, w4 ok, w1 ok'],
    ['a message that was sent, never', 's1 ok, w1 ok, s2 ok, s1 refused'],
    ['a call that failed in passing, once', 'r1 passing, r1 passing, r1 refused'],
    ['a call that failed for good, not at once', 'r1 no, r1 refused, w1 no, w1 refused'],
    ['a failed call, once more after another success', 'w1 no, r1 ok, w1 no, r2 ok, w1 refused'],
    ['a failed message, once more after another success', 's1 no, r1 ok, s1 no, r2 ok, s1 refused'],
    ['a failed call, not after its own earlier success', 'r1 ok, w1 no, r1 no, r1 refused'],
    ['a call of unknown outcome, never', 'w1 unknown, w2 ok, r1 ok, w1 refused'],
    ['a read of unknown outcome, never', 'r1 unknown, w2 ok, r1 refused'],
  ])('%s', (_what, story) => {
    expectStory(story);
  });
});

describe('polls', () => {
  const pollUntilRefused = (
    answer: (n: number) => unknown,
    pollComparison?: PollComparison,
  ): { polls: number; delays: number[]; dependent: number[] } => {
    const history = new CallHistory();
    const delays: number[] = [];
    const dependent: number[] = [];
    for (let polls = 0; ; polls += 1) {
      if (history.dependsOnPollComparison('p')) dependent.push(polls);
      const permission = polls < 50 ? history.permissionFor('p', { pollComparison }) : undefined;
      if (!permission) return { polls, delays, dependent };
      delays.push(history.pollDelay('p'));
      history.add('p', TOOLS.p, permission, result({ result: answer(polls) as ToolResult['result'] & {} }));
    }
  };

  it('run 8 times unchanged after the first answer', () => {
    expect(pollUntilRefused(() => 'running').polls).toBe(9);
  });

  it('start to count again when the answer changes', () => {
    expect(pollUntilRefused((n) => (n < 5 ? 'queued' : 'running')).polls).toBe(14);
    expect(pollUntilRefused((n) => n).polls).toBe(50);
    expect(pollUntilRefused((n) => `${n} % of build-${n}`).polls).toBe(50);
    expect(pollUntilRefused((n) => ({ percent: n, id: `job-${n}` })).polls).toBe(50);
  });

  it.each([
    ['a timestamp', (n: number) => ({ state: 'running', at: `2026-01-05T09:00:${10 + n}.123Z` })],
    ['a timestamp in JSON text', (n: number) => `{"state":"running","at":"2026-01-05T09:00:${10 + n}Z"}`],
    ['seconds since 1970', (n: number) => ({ state: 'running', at: 1_767_600_000 + n })],
    ['a clock time', (n: number) => `[09:00:${10 + n}] running`],
    ['a volatile field', (n: number) => ({ state: 'running', tick: n, deep: [{ tick: n }] })],
    ['a duration', (n: number) => `running for ${n}.5 s, ${n} minutes`],
    ['a duration of its own field', (n: number) => ({ state: 'running', elapsed_ms: n, uptime: n })],
    ['the number of the attempt', (n: number) => `attempt #${n}: not ready`],
    ['a counter of attempts in JSON text', (n: number) => `{"state":"running","attempts":${n}}`],
    ['a request id', (n: number) => `running (request-id: a${n}f-${n})`],
    ['a request id of its own field', (n: number) => ({ state: 'running', requestId: `r${n}` })],
    ['a volatile field in JSON text', (n: number) => `{"tick":${n}}`],
  ])('count an answer as unchanged that differs only by %s', (_what, answer) => {
    expect(pollUntilRefused(answer).polls).toBe(9);
  });

  it('go on while a duration changes, in a turn that compares durations', () => {
    const running = (n: number) => ({ state: 'running', elapsed_ms: n });
    expect(pollUntilRefused(running, 'including_timings').polls).toBe(50);
    expect(pollUntilRefused(() => 'running', 'including_timings').polls).toBe(9);
    const volatile = (n: number) => ({ at: 1_767_600_000 + n, tick: n });
    expect(pollUntilRefused(volatile, 'including_timings').polls).toBe(9);
  });

  it('depend on the comparison only where a changed duration decides', () => {
    expect(pollUntilRefused(() => 'running').dependent).toEqual([]);
    expect(pollUntilRefused((n) => n).dependent).toEqual([]);
    expect(pollUntilRefused((n) => `after ${n} s`).dependent).toEqual([9]);
  });

  it('are spaced while unchanged: 0.5 s doubling to 5 s', () => {
    const { delays } = pollUntilRefused(() => 'running');
    expect(delays).toEqual([0, 0, 500, 1_000, 2_000, 4_000, 5_000, 5_000, 5_000]);
  });
});
