import { resolve } from 'node:path';
import { findNearestStack, listStacks } from '../../background/running-stacks.ts';
import type { InfoResponse } from '../../contracts/http/info-api.ts';
import type { CliContext } from '../command-context/cli-context.ts';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import { safeForTerminal } from '../../base/text/safe-for-terminal.ts';
import { findGatewayInfo, stackLines, readStackView, type StackView } from './stack-view.ts';
import { jsonLine } from '../render/output.ts';

/**
 * Runs `orion status`: prints the stack that `orion` reaches from here, and those that run elsewhere. Returns
 * `EXIT.unreachable` if no stack runs here and no gateway answers.
 */
export const runStatus = async (context: CliContext): Promise<ExitCode> => {
  const { screen, config, printsJson } = context;
  const here = resolve('.');
  const stackHere = findNearestStack(config.stateDir, here);
  const others = listStacks(config.stateDir).filter(({ pid }) => pid !== stackHere?.pid);
  const stack = stackHere && (await readStackView(stackHere, config.apiKey));
  const elsewhere = await Promise.all(others.map((each) => readStackView(each, config.apiKey)));
  // Asked only if the gateway is not the stack's own, because settings name another one or no stack runs here.
  const info = config.url === stackHere?.url ? undefined : await findGatewayInfo(config);
  if (printsJson) {
    screen.write(jsonLine(statusAsJson(config.url, stack, info, elsewhere)));
  } else {
    const lines = [
      ...linesHere(here, stack),
      ...gatewayLines(context, stack, info),
      ...linesElsewhere(elsewhere),
    ];
    for (const line of lines) screen.writeLine(safeForTerminal(line));
  }
  return stack !== undefined || info !== undefined ? EXIT.done : EXIT.unreachable;
};

const statusAsJson = (
  url: string,
  stack: StackView | undefined,
  info: InfoResponse | undefined,
  elsewhere: readonly StackView[],
) => ({
  stack: stack ?? null,
  gateway:
    info === undefined
      ? null
      : { url, workspace: info.workspace, model: info.model, temporalUi: info.temporalUi },
  elsewhere,
});

const linesHere = (here: string, stack: StackView | undefined): readonly string[] =>
  stack === undefined ? [`No stack runs for ${here}: \`orion up\` starts one.`] : stackLines(stack);

/** Returns the lines about the gateway that `orion` talks to, or none if it is that of the stack here. */
const gatewayLines = (
  { config: { isAddressed, url } }: CliContext,
  stack: StackView | undefined,
  info: InfoResponse | undefined,
): readonly string[] => {
  if (url === stack?.url) return [];
  if (info === undefined) return isAddressed ? [`Nothing answers at ${url}, which settings name.`] : [];
  return [
    `\`orion\` talks to ${url} here`,
    `  workspace        ${info.workspace ?? '(not told)'}`,
    `  model            ${info.model}`,
    ...(info.temporalUi === null ? [] : [`  Temporal Web UI  ${info.temporalUi}`]),
  ];
};

const linesElsewhere = (elsewhere: readonly StackView[]): readonly string[] =>
  elsewhere.length === 0 ? [] : ['', 'Elsewhere', ...elsewhere.flatMap(stackLines)];
