/** Covers a turn that asks before it writes, on a real server; every task is replayed from the first event. */
import { describe, expect, it } from '@jest/globals';
import { WorkflowNotFoundError, type WorkflowHandle } from '@temporalio/client';
import type { InputSettings } from '../../../src/contracts/payload/turn-workflow-payloads.ts';
import type { TurnEvent } from '../../../src/contracts/wire/turn-event.ts';
import { expandBatch } from '../../../src/protocol/event-log/event-log.ts';
import { cancelTurnSignal, replySignal } from '../../../src/temporal/turn-messages.ts';
import { refusalOf, useAskingTurns } from '../support/asking-turn.ts';
import type { ScriptedAnswer } from '../support/scripted-activities.ts';
import { ARGS_HASH, asksBeforeWrites, EDITED_HASH, writeCall } from '../support/scripted-inputs.ts';
import { untyped } from '../../support/untyped.ts';

const startAskingTurn = useAskingTurns();

const start = (answers: readonly ScriptedAnswer[], more: Partial<InputSettings> = {}) =>
  startAskingTurn(answers, { inputs: asksBeforeWrites(more) });

const writesOnce: readonly ScriptedAnswer[] = [{ calls: [writeCall('a.md')] }, { texts: ['Done.'] }];
const allow = { reply: 'allow', argsHash: ARGS_HASH } as const;

const typesOf = (events: readonly TurnEvent[]): string[] =>
  events.flatMap(({ type }) => (type.startsWith('input') || type === 'tool_result' ? [type] : []));

/**
 * Resolves to the details of the Web UI once they say that the turn waits, which they do only after the request was
 * announced.
 */
const detailsOfWait = async (handle: WorkflowHandle): Promise<string> => {
  for (;;) {
    const { currentDetails } = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
    if (currentDetails.includes('waiting for a reply')) return currentDetails;
  }
};

/**
 * Resolves to the number of replies that the history holds as accepted updates; other events may appear at any time,
 * since a worker may lose a task.
 */
const updatesIn = async (handle: WorkflowHandle): Promise<number> => {
  const { events = [] } = await handle.fetchHistory();
  return (events ?? []).filter(({ workflowExecutionUpdateAcceptedEventAttributes: accepted }) =>
    Boolean(accepted),
  ).length;
};

describe('a turn that asks before it writes', () => {
  it('waits, and runs the call after it was allowed, in the name of that reply', async () => {
    const turn = await start(writesOnce);
    const request = await turn.nextRequest();
    expect(turn.scripted.toolCalls).toEqual([]);
    expect(request.prelude.flatMap(expandBatch).at(-1)?.event).toMatchObject({
      type: 'input_requested',
      inputId: turn.inputId(1),
      kind: 'approval',
      argsHash: ARGS_HASH,
      target: 'a.md',
      options: ['allow', 'allow_turn', 'edit', 'deny'],
    });
    const by = { kind: 'key', name: 'anna' } as const;
    await expect(turn.reply({ ...allow, by })).resolves.toMatchObject({ reply: 'allow', by });
    expect(typesOf(await turn.ended())).toEqual(['input_requested', 'input_resolved', 'tool_result']);
    expect(turn.scripted.toolCalls).toMatchObject([
      {
        approval: { inputId: turn.inputId(1), once: true, argsHash: ARGS_HASH },
        resolutions: [{ inputId: turn.inputId(1), reply: 'allow', by }],
      },
    ]);
  });

  it('does not run what was denied, and tells the model why', async () => {
    const turn = await start(writesOnce);
    await turn.nextRequest();
    await turn.reply({ reply: 'deny', note: 'not this one' });
    expect(typesOf(await turn.ended())).toEqual(['input_requested', 'input_resolved']);
    expect(turn.scripted.toolCalls).toEqual([]);
    const [, second] = turn.scripted.modelCalls;
    expect(second?.messages.map(({ role }) => role)).toEqual(['assistant', 'tool']);
    expect(second?.messages[1]?.content).toContain(
      'The user did not allow this tool call. The user says: not this one',
    );
    expect(second?.resolutions).toMatchObject([{ reply: 'deny' }]);
    expect(turn.scripted.closes[0]).toMatchObject({ cycle: 0 });
  });

  it('takes the default when nobody replies in time', async () => {
    const turn = await start(writesOnce, { expiryMs: 4_000 });
    const [, resolved] = (await turn.ended()).filter(({ type }) => type.startsWith('input'));
    expect(resolved).toMatchObject({ reply: 'deny', by: { kind: 'expiry' } });
    expect(turn.scripted.toolCalls).toEqual([]);
    expect(turn.scripted.modelCalls[1]?.messages[1]?.content).toContain(
      'Nobody answered in time; the call was not run.',
    );
  });

  it('counts the first reply, gives its repeat the same answer, and refuses any other', async () => {
    const turn = await start([...writesOnce.slice(0, 1), { calls: [writeCall('b.md', 'c2')] }]);
    await turn.nextRequest();
    const replies = await Promise.allSettled([
      turn.reply(allow),
      turn.reply({ reply: 'deny' }),
      turn.reply(allow),
      turn.reply({ reply: 'deny' }),
    ]);
    await turn.nextRequest();
    const won = replies.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(won).toHaveLength(2);
    expect(won[1]).toEqual(won[0]);
    const isAllowed = won[0]?.reply === 'allow';
    await expect(turn.reply(isAllowed ? allow : { reply: 'deny' })).resolves.toEqual(won[0]);
    expect(await refusalOf(turn.reply(isAllowed ? { reply: 'deny' } : allow))).toBe('input_closed');
    expect(turn.scripted.toolCalls).toHaveLength(isAllowed ? 1 : 0);
    await turn.handle.signal(cancelTurnSignal);
    await turn.ended();
  });

  it('refuses a reply that does not fit before it reaches the history', async () => {
    const turn = await start(writesOnce);
    await turn.nextRequest();
    await detailsOfWait(turn.handle);
    expect(await refusalOf(turn.reply({ reply: 'allow' }))).toBe('validation_failed');
    expect(await refusalOf(turn.reply({ reply: 'answer' }))).toBe('validation_failed');
    await expect(turn.handle.executeUpdate('reply', { args: ['text'] })).rejects.toMatchObject({
      cause: { message: expect.stringMatching(/^reply: /) },
    });
    expect(await refusalOf(turn.reply({ reply: 'allow', argsHash: EDITED_HASH }))).toBe('input_changed');
    expect(await refusalOf(turn.reply(allow, 2))).toBe('input_not_found');
    expect(await updatesIn(turn.handle)).toBe(0);
    await turn.reply(allow);
    expect(await updatesIn(turn.handle)).toBe(1);
    expect(typesOf(await turn.ended())).toContain('tool_result');
  });

  it('runs other arguments than the model had, once they pass the checks', async () => {
    const turn = await start(writesOnce);
    await turn.nextRequest();
    const edit = { reply: 'edit', argsHash: ARGS_HASH } as const;
    const bad = turn.reply({ ...edit, arguments: { path: 'bad', content: 'x' } });
    expect(await refusalOf(bad)).toBe('validation_failed');
    const late = turn.reply({ ...edit, arguments: { path: 'late', content: 'x' } });
    expect(await refusalOf(late)).toBe('input_changed');
    await turn.reply({ ...edit, arguments: { path: 'c.md', content: 'y' } });
    await turn.ended();
    expect(turn.checked.at(-1)?.asked).toMatchObject({
      call: { function: { arguments: '{"path":"a.md","content":"x"}' } },
      argsHash: ARGS_HASH,
    });
    expect(turn.scripted.toolCalls).toMatchObject([
      {
        call: { function: { arguments: '{"path":"c.md","content":"y"}' } },
        approval: { once: true, argsHash: EDITED_HASH },
      },
    ]);
    const [asked, result] = turn.scripted.modelCalls[1]?.messages ?? [];
    expect(JSON.stringify(asked)).toContain('a.md');
    expect(result?.content).toMatch(/^The user changed the arguments to: {"path":"c.md","content":"y"}\n\n/);
  });

  it.each(['a reply', 'a cancel'])(
    'does not run arguments that %s has overtaken in their check',
    async (what) => {
      const turn = await start(writesOnce);
      await turn.nextRequest();
      const edited = { path: 'held.md', content: 'y' };
      const edit = refusalOf(turn.reply({ reply: 'edit', argsHash: ARGS_HASH, arguments: edited }));
      const pass = await turn.heldCheck();
      if (what === 'a reply') await turn.reply({ reply: 'deny' });
      else await turn.handle.signal(cancelTurnSignal);
      pass();
      expect(await edit).toBe('input_closed');
      await turn.ended();
      expect(turn.scripted.toolCalls).toEqual([]);
    },
  );

  it('ends at once when it is cancelled, and runs nothing', async () => {
    const turn = await start(writesOnce);
    await turn.nextRequest();
    await turn.handle.signal(cancelTurnSignal);
    expect(typesOf(await turn.ended())).toEqual(['input_requested']);
    expect(turn.scripted.closes[0]?.terminal).toMatchObject({ status: 'cancelled' });
    expect(turn.scripted.toolCalls).toEqual([]);
    await expect(turn.reply(allow)).rejects.toThrow(WorkflowNotFoundError);
  });

  it('takes a reply by signal, and drops one that does not fit', async () => {
    const turn = await start(writesOnce);
    await turn.nextRequest();
    await turn.handle.signal(replySignal, { inputId: turn.inputId(1), reply: 'allow' });
    await turn.handle.signal(replySignal, untyped({ nonsense: true }));
    await turn.handle.signal(replySignal, { inputId: turn.inputId(1), ...allow });
    const [, resolved] = (await turn.ended()).filter(({ type }) => type.startsWith('input'));
    expect(resolved).toMatchObject({ reply: 'allow', by: { kind: 'temporal' } });
  });

  it('asks once about a tool that was allowed for the turn', async () => {
    const turn = await start([
      { calls: [writeCall('a.md')] },
      { calls: [writeCall('b.md', 'c2')] },
      { texts: ['Done.'] },
    ]);
    await turn.nextRequest();
    await turn.reply({ reply: 'allow_turn', argsHash: ARGS_HASH });
    await turn.ended();
    expect(turn.announced).toHaveLength(1);
    expect(turn.scripted.toolCalls.map(({ approval }) => approval)).toEqual([
      { inputId: turn.inputId(1), once: false, argsHash: ARGS_HASH },
      { inputId: turn.inputId(1), once: false },
    ]);
  });

  it('explains in the Web UI how to answer', async () => {
    const turn = await start(writesOnce);
    await turn.nextRequest();
    const details = await detailsOfWait(turn.handle);
    expect(details).toContain(
      `temporal workflow update execute --workflow-id '${turn.handle.workflowId}' --name reply --input '{"inputId":"${turn.inputId(1)}","reply":"allow","argsHash":"${ARGS_HASH}"}'`,
    );
    expect(details).toContain('\n````diff\n-one\n+```two\n````\n');
    await turn.reply(allow);
    await turn.ended();
  });
});

describe('a turn that asks nobody', () => {
  it('refuses a reply, and takes no notice of it', async () => {
    const turn = await startAskingTurn(writesOnce, {});
    expect(await refusalOf(turn.reply(allow))).toBe('input_not_found');
    await turn.ended();
    expect(turn.prepared).toEqual([]);
    expect(turn.scripted.toolCalls).toMatchObject([{ phaseIndex: 1, position: 0 }]);
    expect(Object.keys(turn.scripted.toolCalls[0] ?? {})).not.toContain('approval');
  });
});
