/**
 * Tests how an activity learns which tools its turn has: from the flags that the workflow passes, and from the database
 * row for the tools of a client.
 */
import { expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { loadTurnTools } from '../../../activities/turn/load-turn-tools.ts';
import type { Tool } from '../../../src/tools/tool.ts';
import type { TurnToolFlags } from '../../../src/contracts/payload/turn-activity-payloads.ts';

const clientTools = [{ name: 'app_click', description: 'x', parameters: {}, effect: 'write' as const }];

const loaded = async (ownTools: TurnToolFlags | undefined) => {
  let reads = 0;
  const find = () => {
    reads += 1;
    return Promise.resolve({ clientTools });
  };
  const environment = new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR') });
  const load = () => loadTurnTools({ turns: { find } }, { turnId: 't', ...(ownTools && { ownTools }) });
  const tools: readonly Tool[] = await environment.run(load);
  return [tools.map(({ declaration }) => declaration.name), reads] as const;
};

it.each([
  [undefined, [], 0],
  [{ question: true }, ['UserTool_ask'], 0],
  [{ client: true }, ['app_click'], 1],
  [{ client: true, question: true }, ['app_click', 'UserTool_ask'], 1],
])('a turn with the tools %j of its own has %j after %i reads of its row', async (own, names, reads) => {
  expect(await loaded(own)).toEqual([names, reads]);
});
