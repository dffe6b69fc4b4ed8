import type { CostList } from '../../contracts/http/cost-api.ts';
import { MILLIONTHS } from '../../contracts/values/units.ts';
import type { CommandNamed } from '../args/command.ts';
import type { CliContext } from '../command-context/cli-context.ts';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import { withRetries } from '../http/retry.ts';
import { safeForTerminal } from '../../base/text/safe-for-terminal.ts';
import { jsonLine } from '../render/output.ts';

type Costs = CostList['costs'];

/** Runs `orion cost`: prints what API keys have spent on each of the last `days` UTC days, and their total. */
export const runCost = async (context: CliContext, { days }: CommandNamed<'cost'>): Promise<ExitCode> => {
  const { costs: client, retry, screen, printsJson } = context;
  const costs = await withRetries(retry, () => client.list(days));
  if (printsJson) screen.write(jsonLine(costs));
  else for (const line of costLines(costs)) screen.writeLine(safeForTerminal(line));
  return EXIT.done;
};

const costLines = ({ costs, more }: CostList): readonly string[] => {
  if (costs.length === 0) {
    return ['No costs are known: ORION_PRICES_FILE names the prices of models, or no turn has run since.'];
  }
  const width = Math.max(...costs.map(({ key }) => key.length));
  return [
    ...costs.map(({ day, key, ...sums }) => `${day}  ${key.padEnd(width)}  ${formatSums(sums)}`),
    `in all      ${''.padEnd(width)}  ${formatSums(totalOf(costs))}`,
    ...(more ? ['There are more: fewer days show all of them.'] : []),
  ];
};

type Sums = Pick<Costs[number], 'spent' | 'wasted' | 'reserved'>;

const totalOf = (costs: Costs): Sums =>
  costs.reduce(
    (sum: Sums, { spent, wasted, reserved }) => ({
      spent: sum.spent + spent,
      wasted: sum.wasted + wasted,
      reserved: sum.reserved + reserved,
    }),
    { spent: 0, wasted: 0, reserved: 0 },
  );

const formatSums = ({ spent, wasted, reserved }: Sums): string =>
  [
    formatAmount(spent),
    ...(wasted === 0 ? [] : [`${formatAmount(wasted)} of it wasted`]),
    ...(reserved === 0 ? [] : [`${formatAmount(reserved)} reserved`]),
  ].join(', ');

const formatAmount = (millionths: number): string => (millionths / MILLIONTHS).toFixed(6);
