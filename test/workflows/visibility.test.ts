/** Covers what Temporal's own tools show of a turn or a write session, on a real server. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import type { WorkflowHandle } from '@temporalio/client';
import type { WorkerActivities } from '../../worker/worker-options.ts';
import { cancelTurnSignal } from '../../src/temporal/turn-messages.ts';
import { cancelSessionSignal, finalizeUpdate } from '../../src/temporal/write-session-messages.ts';
import { contentRef, ScriptedSession, sessionInput, startSession } from '../support/scripted-session.ts';
import {
  ScriptedActivities,
  succeeded,
  scriptedCall,
  untilCancelled,
} from './support/scripted-activities.ts';
import { begins, scriptedWriting } from './support/scripted-writing.ts';
import { newTurnInput, TurnWorker } from '../support/turn-worker.ts';
import { endOf } from '../support/workflow-end.ts';

const workers: TurnWorker[] = [];
const startWorker = async (activities: WorkerActivities): Promise<TurnWorker> => {
  const worker = await TurnWorker.start(activities);
  workers.push(worker);
  return worker;
};
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
});

interface Definition {
  readonly name: string;
  readonly description?: string;
}
interface Metadata {
  readonly definition: Readonly<
    Record<'queryDefinitions' | 'signalDefinitions' | 'updateDefinitions', readonly Definition[]>
  >;
  readonly currentDetails?: string;
}
/** Asks for the metadata as the Web UI and `temporal workflow metadata` do. */
const metadataOf = (handle: WorkflowHandle): Promise<Metadata> =>
  handle.query('__temporal_workflow_metadata');

const messagesOf = async (handle: WorkflowHandle): Promise<Definition[]> => {
  const { definition } = await metadataOf(handle);
  return [definition.queryDefinitions, definition.signalDefinitions, definition.updateDefinitions].flat();
};

/** Resolves to the summaries of activities and timers that the timeline shows. */
const summariesOf = async (handle: WorkflowHandle): Promise<string[]> => {
  const { events } = await handle.fetchHistory();
  return (events ?? []).flatMap(({ userMetadata, ...event }) => {
    const isWork = event.activityTaskScheduledEventAttributes ?? event.timerStartedEventAttributes;
    const data = userMetadata?.summary?.data;
    return isWork ? [data ? String(JSON.parse(Buffer.from(data).toString())) : '(none)'] : [];
  });
};

/** Returns the messages, Temporal's own left out, that docs/temporal.md does not name. */
const undocumented = (messages: readonly Definition[]): readonly string[] => {
  const page = readFileSync('docs/temporal.md', 'utf8');
  return messages.flatMap(({ name }) =>
    name.startsWith('__') || page.includes(`\`${name}\``) ? [] : [name],
  );
};

describe('a turn', () => {
  /** Starts a turn whose model call has begun and lasts until it is cancelled. */
  const atItsModel = async (): Promise<WorkflowHandle> => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const worker = await startWorker({
      ...new ScriptedActivities([]),
      callModel: async () => {
        resolve(undefined);
        await untilCancelled();
        throw new Error('cancelled');
      },
    });
    const handle = await worker.startTurn(newTurnInput());
    await promise;
    return handle;
  };

  it('says in words what it is doing when asked for its stack', async () => {
    const handle = await atItsModel();
    const stack = await handle.query<string>('__stack_trace');
    expect(stack.split('\n')).toEqual([
      'action phase 0',
      'tools executed: 0 of 3',
      expect.stringMatching(/^waiting for the model: activity callModel "action 0 · fake", since \d{4}-/),
    ]);
    const enhanced = await handle.query<{ stacks: { locations: { function_name: string }[] }[] }>(
      '__enhanced_stack_trace',
    );
    const frames = enhanced.stacks.flatMap(({ locations }) => locations);
    expect(frames.map(({ function_name }) => function_name)).toEqual(stack.split('\n'));

    await handle.signal(cancelTurnSignal);
    expect(await endOf(handle)).toEqual({ status: 'Canceled' });
    expect(await handle.query('__stack_trace')).toBe(
      'action phase 0 · cancel requested\ntools executed: 0 of 3\nwaiting for nothing',
    );
  });

  it('describes every message that it takes', async () => {
    const handle = await atItsModel();
    const messages = await messagesOf(handle);
    expect(messages.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['eventsSince', 'turnStatus', 'appendEvents', 'cancelTurn', '__stack_trace']),
    );
    expect(messages.filter(({ description = '' }) => description.length < 20)).toEqual([]);
    expect(undocumented(messages)).toEqual([]);
    await handle.signal(cancelTurnSignal);
    await endOf(handle);
  });

  it('counts phases everywhere alike, and shows which tool has failed', async () => {
    const scripted = new ScriptedActivities([
      { calls: [scriptedCall('FileSystemTool_list_files', { path: '.' }, 'c1')] },
      { calls: [scriptedCall('FileSystemTool_read_file', { path: '*gone*.md' }, 'c2')] },
      { texts: ['Sorry.'] },
    ]);
    const worker = await startWorker({
      ...scripted,
      executeTool: (input) =>
        Promise.resolve(
          input.call.id === 'c1'
            ? succeeded(input)
            : { ...succeeded(input), success: false, error: 'not found:\n[x](http://evil)' },
        ),
    });
    const handle = await worker.startTurn(newTurnInput());
    await handle.result();
    expect(await summariesOf(handle)).toEqual([
      'action 0 · fake',
      'tool 1 · FileSystemTool.list_files .',
      'action 2 · fake',
      'tool 3 · FileSystemTool.read_file *gone*.md',
      'action 4 · fake',
      'close turn · completed (answered)',
    ]);
    const { currentDetails } = await metadataOf(handle);
    expect(currentDetails).toContain('**action phase 4**');
    expect(currentDetails).toContain('- ✓ tool 1 · FileSystemTool.list\\_files .\n');
    expect(currentDetails).toContain(
      '- ✗ tool 3 · FileSystemTool.read\\_file \\*gone\\*.md — not found: \\[x\\](http://evil)',
    );
  });

  it('names the timer that waits for a client', async () => {
    const { activities } = scriptedWriting([begins, { texts: ['one\n', 'DONE\n'] }, { texts: ['Written.'] }]);
    const worker = await startWorker(activities);
    const handle = await worker.startTurn(newTurnInput({ writeSession: 'client', sessionInactivityMs: 200 }));
    await handle.result();
    const summaries = await summariesOf(handle);
    expect(summaries).not.toContain('(none)');
    expect(summaries).toContainEqual(expect.stringMatching(/^client writes \S+ first$/));
  });
});

describe('a write session', () => {
  it('says in words what it is doing, and describes every message that it takes', async () => {
    const worker = await startWorker(new ScriptedSession());
    const handle = await startSession(worker, sessionInput());
    expect(await handle.query('__stack_trace')).toMatch(
      /^awaiting_content\nwaiting for a finalize, a touch or a cancel, until \d{4}-/,
    );
    const messages = await messagesOf(handle);
    expect(messages.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['finalize', 'touch', 'cancel', 'sessionStatus']),
    );
    expect(messages.filter(({ description = '' }) => description.length < 20)).toEqual([]);
    expect(undocumented(messages)).toEqual([]);
    await handle.executeUpdate(finalizeUpdate, { args: [{ content: contentRef('a') }] });
    await handle.result();
    expect(await handle.query('__stack_trace')).toBe('committed\nwaiting for nothing');
    expect(await summariesOf(handle)).not.toContain('(none)');
  });

  it('shows the name of its file as text, whatever Markdown a client has put into it', async () => {
    const worker = await startWorker(new ScriptedSession());
    const handle = await startSession(worker, sessionInput({ targetFile: '`[x](http://evil)' }));
    const { currentDetails } = await metadataOf(handle);
    expect(currentDetails).toContain(' \\`\\[x\\](http://evil)\n');
    await handle.signal(cancelSessionSignal);
    await endOf(handle);
  });

  it('that is cancelled while it waits is Canceled', async () => {
    const worker = await startWorker(new ScriptedSession());
    const handle = await startSession(worker, sessionInput());
    await handle.signal(cancelSessionSignal);
    expect(await endOf(handle)).toEqual({ status: 'Canceled' });
    const { status } = await handle.describe();
    expect(status.name).toBe('CANCELLED');
  });
});
