/**
 * Stores the histories of `recorded-turns.ts` as played by today's code. Run it when a new shape of the workflow
 * is released, under a new folder name; never to make a failing replay pass:
 * `ORION_TEST_TEMPORAL_ADDRESS=… ORION_TEST_WORKFLOW_BUNDLE=… node test/workflows/record-histories.ts <revision>`
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { turnInput, TurnWorker } from '../support/turn-worker.ts';
import { recordedTurns } from './recorded-turns.ts';

const folder = new URL(`./histories/${process.argv[2] ?? 'unnamed'}/`, import.meta.url);
await mkdir(folder, { recursive: true });
for (const { name, input, activities } of recordedTurns()) {
  const worker = await TurnWorker.start(activities);
  const handle = await worker.startTurn(
    turnInput({ turnId: `recorded-${name}`, conversationId: 'recorded', ...input }),
  );
  await handle.result();
  const history = historyToJSON(await handle.fetchHistory());
  await writeFile(new URL(`${name}.json`, folder), `${history}\n`);
  process.stdout.write(`${name}: ${history.length} characters\n`);
  await worker.stop();
}
