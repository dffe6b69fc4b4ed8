/** Covers a turn that asks before a file is written, once its text is complete (docs/inputs.md "Files"). */
import { describe, expect, it } from '@jest/globals';
import type { ApprovalPolicy } from '../../../src/contracts/inputs/approvals.ts';
import type { TurnEvent } from '../../../src/contracts/wire/turn-event.ts';
import { WRITE_SESSION_TEXTS } from '../../../src/contracts/write-session/write-session-texts.ts';
import type { KeepOutcome } from '../../../src/protocol/ports/write-session-port.ts';
import { createProtocol } from '../../../src/protocol/protocols/protocol-registry.ts';
import { contentRefOf } from '../../../src/write-session/content-ref.ts';
import {
  asks,
  collect,
  ends,
  fakeTurn,
  says,
  terminalOf,
  eventText,
  toolCall,
} from '../../support/fake-ports.ts';
import { SHOWN_BEFORE, ScriptedInputs, type ScriptedReply } from '../support/scripted-inputs.ts';
import { ScriptedSessions } from '../support/scripted-sessions.ts';

const WRITES: ApprovalPolicy = { rules: [], setting: 'writes' };
const begin = (target: string) =>
  toolCall('WritePlanTool_begin', { target_file: target, operation: 'create' }, target);

interface Play {
  readonly targets?: readonly string[];
  readonly texts?: readonly string[];
  readonly outcomes?: readonly (KeepOutcome | undefined)[];
  /** True when the first session expires while the turn asks about it. */
  readonly expiresMeanwhile?: true;
  readonly policy?: ApprovalPolicy;
  readonly onWait?: () => number;
  readonly cancellation?: { isRequested: boolean };
  readonly protocol?: 'two_stage' | 'standard';
}

const TEXT = 'one\ntwo\n';

/** Plays a turn in which each target is begun by a call of its own, followed by its text. */
const play = async (replies: readonly ScriptedReply[], options: Play = {}) => {
  const { targets = ['a.md'], texts, outcomes = [], policy = WRITES, onWait, cancellation } = options;
  const sessions = new ScriptedSessions((n) => outcomes[n]);
  const wait = (): number => {
    if (options.expiresMeanwhile) sessions.end({ sessionId: `session of ${targets[0]}`, end: 'expired' });
    return onWait?.() ?? 0;
  };
  const inputs = new ScriptedInputs(policy, replies, wait, [], cancellation);
  const turn = fakeTurn({
    model: (n, _messages, { lead }) => {
      const target = targets[(n - 1) / 2];
      if (n % 2 === 1) return target ? [asks(begin(target)), ends('tool_calls')] : [says('Done.'), ends()];
      return [says(`${lead}${texts?.[n / 2 - 1] ?? `${TEXT}DONE\n`}`), ends()];
    },
    tool: (call) => ({
      success: true,
      result: { session_id: `session of ${call.id}`, target_file: call.id },
    }),
    inputs,
    writeSessions: sessions,
    config: { maxPhaseCycles: 5 },
    ...(cancellation && { cancellation }),
  });
  const tools = { executeToolCalls: turn.tools.executeToolCalls.bind(turn.tools) };
  const protocol = createProtocol(options.protocol ?? 'two_stage', { ...turn.context, tools });
  const events = await collect(protocol.executeStreaming({ ...turn.context, tools }));
  const told = turn.adapter.calls.at(-1)?.messages.at(-1)?.content ?? '';
  return { ...turn, sessions, inputs, events, told, end: terminalOf(events) };
};

const outline = (events: readonly TurnEvent[]): string[] =>
  events.flatMap((event) => {
    if (event.type === 'write_session') return [event.stage];
    return event.type.startsWith('input') ? [event.type] : [];
  });

const failure = (events: readonly TurnEvent[]): string | undefined =>
  events.flatMap((event) => (event.type === 'write_session' ? (event.error ?? []) : []))[0];

describe.each(['two_stage', 'standard'] as const)(
  'a file in a %s turn that asks before writes',
  (protocol) => {
    it('is asked about when its text is complete and kept, and written as it was shown', async () => {
      const { events, inputs, tools, sessions, end } = await play(['allow'], { protocol });
      expect(outline(events)).toEqual([
        'begun',
        'content_complete',
        'input_requested',
        'input_resolved',
        'committed',
      ]);
      expect(tools.executed[0]?.context).toMatchObject({ asksAtCommit: true });
      expect(tools.executed[0]?.context.approval).toBeUndefined();
      expect(inputs.asked).toMatchObject([
        {
          kind: 'commit',
          call: { id: 'a.md' },
          session: { sessionId: 'session of a.md', content: contentRefOf(TEXT) },
          options: ['allow', 'allow_turn', 'deny'],
        },
      ]);
      expect(events.find(({ type }) => type === 'input_requested')).toMatchObject({
        kind: 'commit',
        tool: 'WritePlanTool_begin',
        message: 'May a.md be written?',
        default: 'deny',
      });
      expect(sessions.kept.map(({ isComplete, approval }) => [isComplete, approval])).toEqual([
        [false, undefined],
        [true, { inputId: 'r1/1', before: SHOWN_BEFORE }],
      ]);
      expect(sessions.withdrawn).toEqual([]);
      expect(end).toMatchObject({ reason: 'answered' });
    });

    it.each<[ScriptedReply, string]>([
      ['deny', 'The user did not allow this write. The user says: so'],
      ['expiry', 'Nobody answered in time; the file was not written.'],
      ['lost', 'Nobody answered in time; the file was not written.'],
    ])('%s: is not written, its session ends, and the model is told', async (reply, reason) => {
      const { events, sessions, told, end } = await play([reply], { protocol });
      expect(sessions.kept.map(({ isComplete }) => isComplete)).toEqual([false]);
      expect(sessions.withdrawn).toEqual(['session of a.md']);
      expect(outline(events).slice(-1)).toEqual(['failed']);
      expect(failure(events)).toBe(reason);
      expect(told).toContain(`Nothing was written to a.md. ${reason}`);
      expect(end).toMatchObject({ reason: 'answered' });
    });
  },
);

describe('a turn that asks before it writes files', () => {
  it('asks no longer once all of its commits were allowed', async () => {
    const { inputs, sessions } = await play(['allow_turn'], { targets: ['a.md', 'b.md'] });
    expect(inputs.asked).toHaveLength(1);
    expect(sessions.kept.flatMap(({ approval }) => approval ?? [])).toEqual([
      { inputId: 'r1/1', before: SHOWN_BEFORE },
      { inputId: 'r1/1' },
    ]);
  });

  it('asks nobody about what cannot be written anyway', async () => {
    const { events, sessions, told } = await play(['failed']);
    expect(outline(events)).toEqual(['begun', 'content_complete', 'failed']);
    expect(sessions.withdrawn).toEqual(['session of a.md']);
    expect(told).toContain('outside the workspace');
  });

  it('says that the file changed, and ends the session that nobody else could finalize', async () => {
    const failed = {
      kind: 'failed',
      code: 'write_failed',
      reason: 'The file changed after it was approved.',
    } as const;
    const { events, sessions, told } = await play(['allow'], { outcomes: [undefined, failed] });
    expect(failure(events)).toBe('The file changed after it was approved.');
    expect(told).toContain('The file changed after it was approved.');
    expect(sessions.withdrawn).toEqual(['session of a.md']);
  });

  it('finalizes no text without DONE', async () => {
    const texts = ['one\n', 'two\n'];
    const { events, inputs, sessions, told } = await play(['allow'], { texts });
    expect(inputs.asked).toEqual([]);
    expect(outline(events)).toEqual(['begun', 'failed']);
    expect(sessions.withdrawn).toEqual(['session of a.md']);
    expect(told).toContain('Its text does not end with DONE on its own line.');
  });

  it('accepts the outcome of a session that ended while it was asked about', async () => {
    const { events } = await play(['expiry'], { expiresMeanwhile: true });
    expect(failure(events)).toBe(WRITE_SESSION_TEXTS.sessionNotFound);
  });

  it('writes nothing after a cancel, whatever was replied', async () => {
    const cancellation = { isRequested: false };
    const onWait = (): number => {
      cancellation.isRequested = true;
      return 0;
    };
    const { events, sessions, end } = await play(['allow'], { cancellation, onWait });
    expect(outline(events)).toEqual(['begun', 'content_complete', 'input_requested', 'failed']);
    expect(sessions.kept.map(({ isComplete }) => isComplete)).toEqual([false]);
    expect(sessions.withdrawn).toEqual(['session of a.md']);
    expect(end).toMatchObject({ status: 'cancelled' });
    expect(eventText(events)).not.toContain('Done.');
  });

  it('does not even begin what a rule denies, and asks nobody about what a rule allows', async () => {
    const rules = [{ tool: 'WritePlanTool_*', arguments: { path: 'a.md' }, mode: 'deny' as const }];
    const denied = await play(['allow'], { policy: { rules, setting: 'writes' } });
    expect(denied.tools.executed).toEqual([]);
    const free = [{ tool: '*', mode: 'allow' as const }];
    const allowed = await play(['deny'], { policy: { rules: free, setting: 'writes' } });
    expect(allowed.inputs.asked).toEqual([]);
    expect(allowed.sessions.kept.map(({ isComplete }) => isComplete)).toEqual([true]);
  });
});
