/**
 * Tests how much `orion capacity` says that a number of turns needs, by the figures in docs/ and in whole processes.
 */
import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { parseInvocation } from '../../../src/cli/args/parse-invocation.ts';
import { estimateCapacity, MEASURED_TURN, runCapacity } from '../../../src/cli/commands/capacity-command.ts';
import { MAX_RUNNING_TURNS } from '../../../src/gateway/admission/load-limit.ts';

const run = (...argv: string[]): string => {
  const invocation = parseInvocation(['capacity', ...argv]);
  if (invocation.kind === 'text') return invocation.text;
  if (invocation.command.name !== 'capacity') throw new Error('another command');
  let written = '';
  runCapacity({ write: (text: string) => ((written += text), true) }, invocation.command);
  return written;
};

it('calculates with what was measured, hardly more, and with what a gateway admits', () => {
  const page = readFileSync('docs/performance.md', 'utf8').replaceAll(/\s+/g, ' ');
  const cost = /`temporal-cost` \| (\d+) actions, \d+ events, ([\d,]+) bytes/.exec(page);
  const cpu =
    /takes ([\d.]+) s of CPU in the gateway, ([\d.]+) s in the workers, and ([\d.]+) kB in Postgres/.exec(
      page,
    );
  const told = [...(cost?.slice(1) ?? []), ...(cpu?.slice(1) ?? [])].map((text) =>
    Number(text.replace(',', '')),
  );
  const used = [
    MEASURED_TURN.actions,
    MEASURED_TURN.historyBytes,
    MEASURED_TURN.gatewayCpuSeconds,
    MEASURED_TURN.workerCpuSeconds,
    MEASURED_TURN.databaseBytes / 1000,
  ];
  expect(told).toHaveLength(used.length);
  for (const [index, figure] of told.entries()) {
    expect(used[index]).toBeGreaterThanOrEqual(figure);
    expect(used[index]).toBeLessThan(figure * 1.5);
  }
  expect(MEASURED_TURN.maxConcurrentTurns).toBe(MAX_RUNNING_TURNS);
});

it('grows with the turns, and has at least two of each process', () => {
  expect(estimateCapacity({ turnsPerDay: 10, peak: 10 })).toMatchObject({
    installations: 1,
    gateways: 2,
    workers: 2,
    actions: 4_500,
  });
  const many = estimateCapacity({ turnsPerDay: 864_000, peak: 1 });
  expect(many).toMatchObject({ turnsPerSecond: 10, atOnce: 200, installations: 1, gateways: 5, workers: 9 });
  expect(many.dollars).toBeCloseTo(19_440);
  expect(estimateCapacity({ turnsPerDay: 864_000, peak: 4 }).installations).toBe(3);
});

it('prints it, for people and for programs', () => {
  expect(run('--turns-per-day', '10,000')).toMatch(
    /^10,000 turns a day .*\n(.*\n)* {2}gateways +2 processes.*\n(.*\n)*.*4,500,000 in 30 days\n.*\$225 for them/,
  );
  const parsed = JSON.parse(run('--turns-per-day', '10000', '--json')) as unknown;
  expect(parsed).toEqual(estimateCapacity({ turnsPerDay: 10_000, peak: 10 }));
});

it.each([
  [[]],
  [['--turns-per-day', '0']],
  [['--turns-per-day', 'x']],
  [['--turns-per-day', '1', '--peak', '0']],
  [['--turns-per-day', '1', '--peak', '9999.5']],
])('refuses %j', (argv) => {
  expect(run(...argv)).toMatch(/error: .*turns-per-day|error: .*peak/);
});
