/** Covers write sessions inside a turn (docs/write-sessions.md "In a turn"). */
import { describe, expect, it } from '@jest/globals';
import type { TurnEvent } from '../../src/contracts/wire/turn-event.ts';
import { WRITE_SESSION_TEXTS } from '../../src/contracts/write-session/write-session-texts.ts';
import { ModelCallError } from '../../src/protocol/ports/model-port.ts';
import type { KeepOutcome } from '../../src/protocol/ports/write-session-port.ts';
import { createProtocol } from '../../src/protocol/protocols/protocol-registry.ts';
import { contentRefOf } from '../../src/write-session/content-ref.ts';
import { withLines } from '../../src/write-session/replaced-text.ts';
import { readContent } from '../../src/write-session/session-text.ts';
import {
  asks,
  collect,
  ends,
  declareTool,
  type FakeTurnParts,
  fakeTurn,
  noticesOf,
  says,
  ScriptedTools,
  terminalOf,
  eventText,
  toolCall,
} from '../support/fake-ports.ts';
import { ScriptedSessions } from './support/scripted-sessions.ts';
import type { JsonValue } from '../../src/contracts/values/json-value.ts';
import type { AdapterEvent } from '../../src/compat/llm-adapter.ts';

const BEGIN = toolCall('WritePlanTool_begin', { target_file: 'docs/big.md', operation: 'create' });

interface Play extends Partial<FakeTurnParts> {
  /** What the model says in the calls after the begin. */
  readonly texts: readonly (readonly AdapterEvent[])[];
  readonly outcomes?: readonly KeepOutcome[];
  readonly protocol?: 'two_stage' | 'standard';
}

const begins = (result: JsonValue = { session_id: 's1', target_file: 'docs/big.md' }) => ({
  success: true as const,
  result,
});

const play = async ({ texts, outcomes = [], protocol = 'two_stage', ...more }: Play) => {
  const writeSessions = new ScriptedSessions((n) => outcomes[n]);
  const turn = fakeTurn({
    model: (n, _messages, { lead }) => {
      if (n === 1) return [says('I begin.'), asks(BEGIN), ends('tool_calls')];
      const [first, ...rest] = texts[n - 2] ?? [says('Written.'), ends()];
      return first?.type === 'chunk'
        ? [says(lead + first.content), ...rest]
        : [...(first ? [first] : []), ...rest];
    },
    tool: () => begins(),
    writeSessions,
    ...more,
  });
  // The declarations are the built-in ones, since the core itself describes these tools.
  const tools = { executeToolCalls: turn.tools.executeToolCalls.bind(turn.tools) };
  const context = { ...turn.context, tools };
  const events: TurnEvent[] = [];
  const ended = await collect(createProtocol(protocol, context).executeStreaming(context)).then((list) => {
    events.push(...list);
    return terminalOf(list);
  });
  return { ...turn, events, end: ended, writeSessions };
};

const stagesOf = (events: readonly TurnEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'write_session' ? [event.stage] : []));

const outline = (events: readonly TurnEvent[]): string =>
  events
    .map((event) => {
      if (event.type === 'phase') return event.phase;
      if (event.type === 'write_session') return event.stage;
      if (event.type === 'chunk') return event.notice ?? 'text';
      return event.type;
    })
    .join(' ');

/** Reports whether an event is the box in which the standard protocol shows a result. */
const isBox = (event: TurnEvent): boolean => event.type === 'chunk' && event.notice === 'tool_result';

const file = (lines: number): string =>
  Array.from({ length: lines }, (_, i) => `Line ${i + 1} of it\n`).join('');
const done = (text: string): AdapterEvent[] => [says(`${text}DONE\n`), ends()];

describe.each(['two_stage', 'standard'] as const)('a write session in a %s turn', (protocol) => {
  it('takes the next text as the file, tells in order, and goes on', async () => {
    const { events, end, adapter, writeSessions } = await play({ protocol, texts: [done(file(300))] });
    expect(outline(events.filter((event) => !isBox(event)))).toBe(
      'action text tool_calls tool tool_result begun action text content_complete committed action text done',
    );
    expect(adapter.calls.map(({ options }) => options.tools)).toEqual([true, false, true]);
    expect(adapter.calls.map(({ options }) => options.writeSession)).toEqual([
      undefined,
      { sessionId: 's1' },
      undefined,
    ]);
    const { sha256, bytes, lines } = contentRefOf(file(300));
    expect(events.filter(({ type }) => type === 'write_session')).toEqual([
      expect.objectContaining({ sessionId: 's1', stage: 'begun', target: 'docs/big.md' }),
      expect.objectContaining({ stage: 'content_complete', sha256, bytes, lines }),
      expect.objectContaining({ stage: 'committed', sha256, bytes, lines }),
    ]);
    expect(writeSessions.kept).toEqual([
      expect.objectContaining({ isComplete: true, phases: [expect.objectContaining({ step: 2, skip: 2 })] }),
    ]);
    expect(end).toMatchObject({ reason: 'answered', fullContent: `I begin.\n\n${file(300)}DONE\nWritten.` });
  });

  it('never sends the content back to the model, and says which part of the turn’s text it was', async () => {
    const texts = [[says(`${file(300)}DONE\nThat is all.`), ends()]];
    const { adapter, end, writeSessions } = await play({ protocol, texts });
    const prompt = adapter.calls.at(-1)?.messages ?? [];
    expect(JSON.stringify(prompt)).not.toContain('Line 7 of it');
    const line = `[wrote docs/big.md: 300 lines, sha256 ${contentRefOf(file(300)).sha256}]\n\nThat is all.`;
    expect(prompt).toContainEqual({ role: 'assistant', content: line });
    const fullContent = end.type === 'done' ? end.fullContent : '';
    expect(withLines(fullContent, writeSessions.replaced)).toBe(`I begin.\n\n${line}\n\nWritten.`);
  });
});

describe('the end of the content', () => {
  it('is requested when the model stops without DONE, at most three times', async () => {
    const texts = [[says('a\n'), ends()], [says('b\n'), ends()], [says('c'), ends()], done('')];
    const { adapter, events, writeSessions } = await play({ texts });
    expect(adapter.calls[2]?.messages.at(-1)).toEqual({
      role: 'system',
      content: WRITE_SESSION_TEXTS.idlePrompt,
    });
    expect(adapter.calls[3]?.messages).toContainEqual({ role: 'assistant', content: 'a\n' });
    expect(stagesOf(events)).toEqual(['begun', 'content_complete', 'committed']);
    expect(writeSessions.kept.map(({ isComplete }) => isComplete)).toEqual([false, false, false, true]);
    expect(readContent(writeSessions.kept.at(-1)?.phases ?? []).text).toBe('a\nb\nc\n');
  });

  it('that never comes leaves the session open with its draft, and the user learns of it', async () => {
    const texts = Array.from({ length: 4 }, (_, i) => [says(`part ${i}\n`), ends()] as const);
    const { events, end, adapter, writeSessions } = await play({ texts });
    expect(stagesOf(events)).toEqual(['begun', 'open']);
    expect(noticesOf(events)).toEqual(['write_session']);
    expect(writeSessions.kept).toHaveLength(4);
    expect(writeSessions.kept.every(({ isComplete }) => !isComplete)).toBe(true);
    expect(adapter.calls).toHaveLength(6);
    expect(JSON.stringify(adapter.calls.at(-1)?.messages)).toContain('[did not write docs/big.md: 4 lines');
    expect(end).toMatchObject({ reason: 'answered' });
  });

  it('is requested with the last 40 lines when the token limit cut it, wherever that was', async () => {
    const whole = `${file(200)}DONE\n`;
    const cuts = [0, 700, 1_500, 2_222, whole.length];
    const texts = cuts.slice(1).map((to, i) => {
      const last = to === whole.length;
      return [says(whole.slice(cuts[i], to)), ends(last ? 'stop' : 'length')];
    });
    const { events, adapter, writeSessions } = await play({ texts });
    expect(stagesOf(events)).toEqual(['begun', 'content_complete', 'committed']);
    expect(writeSessions.kept.at(-1)?.content).toEqual(contentRefOf(file(200)));
    const anchor = whole.slice(0, 700).split('\n').slice(-40).join('\n');
    expect(adapter.calls[2]?.messages.at(-1)?.content).toContain(anchor);
    expect(JSON.stringify(adapter.calls.at(-1)?.messages)).not.toContain('Line 7 of it');
  });

  it('is requested at most ten times after the token limit', async () => {
    const texts = Array.from({ length: 20 }, (_, i) => [says(`${i} ${file(3)}`), ends('length')] as const);
    const { events, adapter } = await play({ texts, config: { maxPhaseCycles: 1 } });
    expect(adapter.calls).toHaveLength(1 + 11 + 1);
    expect(stagesOf(events)).toEqual(['begun', 'open']);
  });

  it('is not guessed from repetition: a file may consist of equal rows', async () => {
    const rows = '0,0,0,0\n'.repeat(2_000);
    const { events } = await play({ texts: [done(rows)] });
    expect(stagesOf(events)).toEqual(['begun', 'content_complete', 'committed']);
  });
});

describe('limits and failures', () => {
  it('apply after the content: at the last cycle the file is written before the forced answer', async () => {
    const { events, adapter, end } = await play({ texts: [done('a\n')], config: { maxPhaseCycles: 1 } });
    expect(outline(events)).toMatch(
      /begun action text content_complete committed cycle_limit action text done$/,
    );
    expect(adapter.calls.at(-1)?.options.writeSession).toBeUndefined();
    expect(end).toMatchObject({ reason: 'cycles' });
  });

  it.each(['time', 'tokens', 'content_filter'] as const)('%s leaves the draft', async (finishReason) => {
    const texts = [[says('a\nDONE\n'), { type: 'done' as const, fullContent: '', finishReason }]];
    const { events, writeSessions } = await play({ texts });
    expect(stagesOf(events)).toEqual(['begun', 'open']);
    expect(writeSessions.kept).toEqual([expect.objectContaining({ isComplete: false })]);
  });

  it('a model call that failed for good leaves the draft and ends the turn with its error', async () => {
    const { events, end, writeSessions } = await play({
      texts: [],
      model: function* (n) {
        if (n === 1) yield asks(BEGIN);
        if (n === 1) return;
        yield says('a\nDONE\n');
        throw new ModelCallError('model_unavailable', 'gone');
      },
    });
    expect(stagesOf(events)).toEqual(['begun', 'open']);
    expect(writeSessions.kept).toEqual([expect.objectContaining({ isComplete: false })]);
    expect(end).toMatchObject({ type: 'error', code: 'model_unavailable' });
  });

  it('a failed commit is reported to model and user, and the turn goes on', async () => {
    const failed = { kind: 'failed', code: 'write_failed', reason: 'docs/big.md exists already' } as const;
    const { events, adapter } = await play({ texts: [done('a\n')], outcomes: [failed] });
    expect(stagesOf(events)).toEqual(['begun', 'content_complete', 'failed']);
    expect(events).toContainEqual(expect.objectContaining({ stage: 'failed', error: failed.reason }));
    expect(noticesOf(events)).toEqual(['write_session']);
    const told = adapter.calls.at(-1)?.messages.at(-1);
    expect(told).toMatchObject({ role: 'system', content: expect.stringContaining(failed.reason) });
  });

  it('a commit whose outcome was lost is reported neither as written nor as failed', async () => {
    const reason = 'OUTCOME_UNKNOWN: the write was lost; it may or may not have taken effect';
    const lost = { kind: 'failed', code: 'write_failed', reason } as const;
    const { events, adapter, writeSessions } = await play({ texts: [done('a\n')], outcomes: [lost] });
    expect(events).toContainEqual(expect.objectContaining({ stage: 'failed', error: reason }));
    const told = adapter.calls
      .at(-1)
      ?.messages.slice(-2)
      .map(({ content }) => content);
    expect(told).toEqual([
      expect.stringMatching(/^\[may have written docs\/big\.md: 1 line, sha256 /),
      `It is not known whether docs/big.md was written: ${reason}. Read it before you write it again, and tell the user.`,
    ]);
    expect(events).toContainEqual(
      expect.objectContaining({
        notice: 'write_session',
        content: `\n\n**System Notice**: It is not known whether docs/big.md was written: ${reason}\n\n`,
      }),
    );
    expect(writeSessions.replaced[0]?.line).toBe(told?.[0]);
  });

  it('blank content is refused and requested again, at most twice', async () => {
    const mended = await play({ texts: [done(' \n'), done('a\n')] });
    expect(stagesOf(mended.events)).toEqual([
      'begun',
      'content_complete',
      'failed',
      'content_complete',
      'committed',
    ]);
    const never = await play({ texts: [done(''), done(''), done(''), done('')] });
    expect(stagesOf(never.events).filter((stage) => stage === 'failed')).toHaveLength(3);
    expect(never.writeSessions.kept).toEqual([]);
  });

  it('a cancel keeps what was written', async () => {
    const cancellation = { isRequested: false };
    const { events, end, writeSessions } = await play({
      cancellation,
      texts: [],
      model: (n, _messages, { lead }) => {
        if (n === 1) return [asks(BEGIN), ends('tool_calls')];
        cancellation.isRequested = true;
        return [says(`${lead}half a file\n`), ends()];
      },
    });
    expect(stagesOf(events)).toEqual(['begun', 'open']);
    expect(writeSessions.kept).toEqual([expect.objectContaining({ isComplete: false })]);
    expect(end).toMatchObject({ status: 'cancelled' });
  });

  it('a begin that failed begins nothing', async () => {
    const { events, adapter } = await play({
      texts: [],
      tool: () => ({ success: false, error: WRITE_SESSION_TEXTS.sessionActive }),
    });
    expect(stagesOf(events)).toEqual([]);
    expect(adapter.calls[1]?.options.tools).toBe(true);
  });

  it('a fence around the whole is left out, and the user learns of it', async () => {
    const { events, writeSessions } = await play({ texts: [done('```md\n# A\n```\n')] });
    expect(writeSessions.kept[0]?.content).toEqual(contentRefOf('# A\n'));
    expect(noticesOf(events)).toEqual(['write_session']);
  });

  it('two sessions of one answer are written one after the other', async () => {
    let begun = 0;
    const { events, adapter } = await play({
      protocol: 'standard',
      texts: [],
      tool: ({ function: { arguments: args } }) => {
        begun += 1;
        return begins({
          session_id: `s${begun}`,
          target_file: (JSON.parse(args) as { target_file: string }).target_file,
        });
      },
      model: (n) => {
        const other = toolCall('WritePlanTool_begin', { target_file: 'b', operation: 'create' }, 'call_2');
        if (n === 1) return [asks(BEGIN, other), ends('tool_calls')];
        return n < 4 ? done(`file ${n}\n`) : [says('Both.'), ends()];
      },
    });
    expect(stagesOf(events)).toEqual([
      'begun',
      'content_complete',
      'committed',
      'begun',
      'content_complete',
      'committed',
    ]);
    expect(adapter.calls[2]?.messages.at(-1)?.content).toContain('content of b');
  });
});

describe('which call begins a session', () => {
  const turnOf = (name: string, more: Parameters<typeof declareTool>[2]) => {
    const tool = () => ({ success: true as const, result: { id: 's1', file: 'a.md' } });
    const turn = fakeTurn({
      model: (n) => (n === 1 ? [asks(toolCall(name, {})), ends('tool_calls')] : [says('a\nDONE\n'), ends()]),
    });
    const tools = new ScriptedTools(tool, [declareTool(name, 'write', more)]);
    const context = { ...turn.context, tools };
    return collect(createProtocol('two_stage', context).executeStreaming(context));
  };

  it('is said by its declaration, which names the fields, and not by its name', async () => {
    const fields = { beginsWriteSession: { sessionId: 'id', target: 'file' } };
    const events = await turnOf('Notes_start', fields);
    expect(events.find(({ type }) => type === 'write_session')).toMatchObject({
      sessionId: 's1',
      target: 'a.md',
    });
    expect(stagesOf(await turnOf('WritePlanTool_begin', {}))).toEqual([]);
  });
});

describe('a host without write sessions', () => {
  it('gets the same events up to the content; it sees to the rest itself', async () => {
    const { events, adapter } = await play({ texts: [done('a\n')], writeSessions: undefined });
    expect(stagesOf(events)).toEqual(['begun', 'content_complete']);
    expect(eventText(events)).toContain('a\nDONE\n');
    expect(adapter.calls).toHaveLength(3);
  });
});
