import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { TurnInput } from '../src/contracts/payload/turn-workflow.ts';
import type { TurnStatus } from '../src/contracts/turn.ts';
import { ORION_STATUS } from '../src/contracts/search-attributes.ts';
import type { TurnContext } from './turn-context.ts';

/** Where the turn stands, in one line. */
const whereabouts = ({ state, cancellation }: TurnContext): string => {
  const { phase } = state;
  const where = phase ? `${phase.kind} phase ${phase.index}` : 'starting';
  return `${where}${cancellation.requested ? ' · cancel requested' : ''}`;
};

/** Markdown for the Web UI's "current details": where the turn stands within its budgets, and what its tools did. */
export const showProgress = (turn: TurnContext): void => {
  const { cycle } = turn.state;
  const { maxPhaseCycles, maxDuplicateAttempts, maxTurnMs, maxTurnTokens } = turn.input.budgets;
  setCurrentDetails(
    [
      `**${whereabouts(turn)}**`,
      '',
      `- tools executed: ${cycle} of ${maxPhaseCycles}`,
      `- duplicates allowed: ${maxDuplicateAttempts}`,
      `- time: ${maxTurnMs / 1000} s · tokens: ${maxTurnTokens}`,
      ...turn.state.executions.map((execution) => `- ${inert(execution)}`),
    ].join('\n'),
  );
};

/** Names and errors are the model's and the tools' words: they must not become Markdown. */
const inert = (text: string): string => text.replaceAll(/[\\`*_[\]<>#|~!&]/g, String.raw`\$&`);

/** Answer to Temporal's stack-trace queries. */
export const turnStack = (turn: TurnContext): string[] => {
  const { cycle } = turn.state;
  return [
    whereabouts(turn),
    `tools executed: ${cycle} of ${turn.input.budgets.maxPhaseCycles}`,
    ...turn.waiting.lines(),
  ];
};

/** Set once at the end: visibility writes are billed. */
export const showStatus = (input: TurnInput, status: TurnStatus): void => {
  if (input.searchAttributes) upsertSearchAttributes([{ key: ORION_STATUS, value: status }]);
};
