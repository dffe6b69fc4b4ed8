import { expect, it } from '@jest/globals';
import { runCost } from '../../../src/cli/commands/cost-command.ts';
import type { CliContext } from '../../../src/cli/command-context/cli-context.ts';
import type { CostList } from '../../../src/contracts/http/cost-api.ts';
import { partOf } from '../../support/part-of.ts';

const printed = async (list: CostList, printsJson = false): Promise<readonly string[]> => {
  const lines: string[] = [];
  const context = partOf<CliContext>({
    printsJson,
    retry: { attempts: 1, delayMs: 0, sleep: () => Promise.resolve(), report: () => undefined },
    screen: { writeLine: (line: string) => lines.push(line), write: (text: string) => lines.push(text) },
    costs: { list: () => Promise.resolve(list) },
  });
  expect(await runCost(context, { name: 'cost', days: 30 })).toBe(0);
  return lines;
};

const list: CostList = {
  costs: [
    { key: 'ann', day: '2026-01-02', spent: 1_500_000, wasted: 0, reserved: 20 },
    { key: 'builder\u001B[2J', day: '2026-01-01', spent: 7, wasted: 2, reserved: 0 },
  ],
  more: false,
};

it('`orion cost` prints each day and key, and the sum, in whole units of the currency', async () => {
  expect((await printed(list)).map((line) => line.replaceAll(/ +/g, ' '))).toEqual([
    '2026-01-02 ann 1.500000, 0.000020 reserved',
    expect.stringMatching(/^2026-01-01 builder.* 0\.000007, 0\.000002 of it wasted$/),
    'in all 1.500007, 0.000002 of it wasted, 0.000020 reserved',
  ]);
  expect((await printed(list)).join('')).not.toContain('\u001B');
});

it('`orion cost --json` prints what the gateway said', async () => {
  expect(await printed(list, true)).toEqual([`${JSON.stringify(list)}\n`]);
});

it('`orion cost` says that no costs are known', async () => {
  expect(await printed({ costs: [], more: false })).toEqual([expect.stringContaining('ORION_PRICES_FILE')]);
});
