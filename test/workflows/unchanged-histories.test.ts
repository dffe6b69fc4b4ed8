/** Turns that ask nobody leave the same histories as before turns could ask. */
import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { newTurnInput, TurnWorker } from '../support/turn-worker.ts';
import { endOf } from '../support/workflow-end.ts';
import { recordedTurns } from './support/recorded-turns.ts';

type History = ReturnType<typeof historyFromJSON>;

/** Returns what happened, in order and without workflow tasks, whose number depends on the speed of the machine. */
const shapeOf = ({ events }: History): string[] =>
  (events ?? []).flatMap((event) => {
    const { activityTaskScheduledEventAttributes: scheduled } = event;
    const type = Object.keys(event).find((key) => key.endsWith('EventAttributes')) ?? 'nothing';
    if (type.startsWith('workflowTask')) return [];
    return [scheduled ? `${type} ${scheduled.activityType?.name}` : type];
  });

const stored = (name: string): History =>
  historyFromJSON(
    JSON.parse(
      readFileSync(new URL(`./histories/revision-1/${name}.json`, import.meta.url), 'utf8'),
    ) as object,
  );

it.each(['answer', 'two-tools', 'cycles-to-the-limit', 'standard-two-calls', 'duplicates-to-the-limit'])(
  '%s',
  async (name) => {
    const turn = recordedTurns().find((one) => one.name === name);
    if (!turn) throw new Error(`no turn ${name} is recorded`);
    const worker = await TurnWorker.start(turn.activities);
    const handle = await worker.startTurn(newTurnInput(turn.input));
    await endOf(handle);
    const history = await handle.fetchHistory();
    await worker.stop();
    expect(shapeOf(history)).toEqual(shapeOf(stored(name)));
  },
);
