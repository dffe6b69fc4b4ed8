/**
 * Stores the histories of the turns and sessions in `recorded-turns.ts`, `recorded-sessions.ts`, `recorded-inputs.ts`,
 * `recorded-steers.ts`, `recorded-compactions.ts` and `recorded-fallbacks.ts` as today's code plays them, on servers of
 * its own. Run it when a new shape of a workflow is released, under a new folder name, and never to make a failing
 * replay pass: `node test/workflows/record-histories.ts <folder> [turns|sessions|inputs|steers|compactions|fallbacks]`
 */
import { mkdir, writeFile } from 'node:fs/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { compactWorkflowId } from '../../src/contracts/values/workflow-ids.ts';
import { sessionInput, startSession } from '../support/scripted-session.ts';
import { startTestServers } from '../support/test-servers.ts';
import { newTurnInput, TurnWorker } from '../support/turn-worker.ts';
import { endOf } from '../support/workflow-end.ts';
import { recordedCompactions } from './support/recorded-compactions.ts';
import { recordedFallbacks } from './support/recorded-fallbacks.ts';
import { recordedInputs } from './support/recorded-inputs.ts';
import { recordedSteers } from './support/recorded-steers.ts';
import { recordedSessions } from './support/recorded-sessions.ts';
import { recordedTurns } from './support/recorded-turns.ts';

const [revision = 'unnamed', only = 'all'] = process.argv.slice(2);
const servers = await startTestServers();
Object.assign(process.env, servers.env);
const folder = new URL(`./histories/${revision}/`, import.meta.url);
await mkdir(folder, { recursive: true });

type Kind = 'turns' | 'sessions' | 'inputs' | 'steers' | 'compactions' | 'fallbacks';

const isWanted = (what: Kind): boolean => only === 'all' || only === what;

const store = async (name: string, worker: TurnWorker, handle: WorkflowHandle): Promise<void> => {
  await endOf(handle);
  const history = historyToJSON(await handle.fetchHistory());
  await writeFile(new URL(`${name}.json`, folder), `${history}\n`);
  process.stdout.write(`${name}: ${history.length} characters\n`);
  await worker.stop();
};

const unattended = [
  ...(isWanted('turns') ? recordedTurns() : []),
  ...(isWanted('fallbacks') ? recordedFallbacks() : []),
];
for (const { name, input, activities } of unattended) {
  const worker = await TurnWorker.start(activities);
  const turn = newTurnInput({ turnId: `recorded-${name}`, conversationId: 'recorded', ...input });
  await store(name, worker, await worker.startTurn(turn));
}
for (const { name, input, activities, play } of isWanted('sessions') ? recordedSessions() : []) {
  const worker = await TurnWorker.start(activities);
  const handle = await startSession(worker, sessionInput(input));
  await play(handle);
  await store(name, worker, handle);
}
for (const { name, activities } of isWanted('compactions') ? recordedCompactions() : []) {
  const worker = await TurnWorker.start(activities);
  const turnId = `recorded-${name}-${Date.now()}`;
  const handle = await worker.client.workflow.start('compactWorkflow', {
    workflowId: compactWorkflowId(turnId),
    taskQueue: worker.taskQueue,
    args: [{ turnId, leafTurnId: 'leaf' }],
  });
  await store(name, worker, handle);
}
const played = [
  ...(isWanted('inputs') ? recordedInputs() : []),
  ...(isWanted('steers') ? recordedSteers() : []),
];
for (const { name, input, activities, play } of played) {
  const worker = await TurnWorker.start(activities);
  const turn = newTurnInput({ turnId: `recorded-${name}`, conversationId: 'recorded', ...input });
  const handle = await worker.startTurn(turn);
  await play(handle);
  await store(name, worker, handle);
}
await servers.stop();
