import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { TurnInput } from '../../src/contracts/payload/turn-workflow-payloads.ts';
import type { ShownStatus } from '../../src/contracts/turn/turn-facts.ts';
import { turnWorkflowId } from '../../src/contracts/values/workflow-ids.ts';
import { ORION_STATUS } from '../../src/contracts/payload/search-attribute-keys.ts';
import type { InputRequested, ReplyName } from '../../src/contracts/wire/input-events.ts';
import { escapeMarkdown } from '../sdk/escape-markdown.ts';
import type { TurnRun } from './turn-run.ts';

/**
 * Shows Markdown in the Web UI's "current details": the turn's progress within its budgets, and its latest executions.
 */
export const showProgress = (run: TurnRun): void => {
  const { maxDuplicateAttempts, maxTurnMs, maxTurnTokens } = run.state.budgets;
  setCurrentDetails(
    [
      `**${statusLine(run)}**`,
      '',
      `- ${toolsExecuted(run)}`,
      `- duplicates allowed: ${maxDuplicateAttempts}`,
      `- time: ${maxTurnMs / 1000} s · tokens: ${maxTurnTokens}`,
      ...run.state.executions.map((execution) => `- ${escapeMarkdown(execution)}`),
    ].join('\n'),
  );
};

/**
 * Shows in the "current details" what the turn waits for, and how to give the first of the `options` with Temporal's
 * own tools.
 */
export const showRequest = (
  run: TurnRun,
  {
    inputId,
    message,
    options: [reply],
    argsHash,
    excerpt,
  }: Pick<InputRequested, 'inputId' | 'message'> & {
    readonly options: readonly ReplyName[];
    readonly argsHash: string | undefined;
    readonly excerpt: string | undefined;
  },
): void => {
  const content = reply === 'answer' || reply === 'result' ? '…' : undefined;
  const ok = reply === 'result' ? true : undefined;
  const input = JSON.stringify({ inputId, reply, argsHash, content, ok });
  setCurrentDetails(
    [
      '**waiting for a reply**',
      '',
      escapeMarkdown(message),
      '',
      ...(excerpt === undefined ? [] : codeBlock(excerpt, 'diff')),
      '```sh',
      `temporal workflow update execute --workflow-id '${turnWorkflowId(run.input.turnId)}' --name reply --input '${input}'`,
      '```',
    ].join('\n'),
  );
};

/** Returns a code block. Its fence is longer than any in the text, so that the text cannot end the block. */
const codeBlock = (text: string, language: string): string[] => {
  const ticks = text.match(/`+/g)?.map(({ length }) => length) ?? [];
  const fence = '`'.repeat(Math.max(3, ...ticks.map((length) => length + 1)));
  return [`${fence}${language}`, text, fence, ''];
};

/** Returns in words what the turn does and waits for at present, as the answer to Temporal's stack-trace queries. */
export const turnStackTrace = (run: TurnRun): string[] => [
  statusLine(run),
  toolsExecuted(run),
  ...run.openWaits.lines(),
];

/**
 * Shows a status in Temporal's visibility, if the turn has search attributes. It is called only when the turn begins to
 * wait, goes on, or ends, because visibility writes are billed.
 */
export const showStatus = (input: TurnInput, status: ShownStatus): void => {
  if (input.searchAttributes) upsertSearchAttributes([{ key: ORION_STATUS, value: status }]);
};

/** Returns the state of the turn in one line. */
const statusLine = ({ state, cancellation }: TurnRun): string => {
  const { phase } = state;
  const where = phase ? `${phase.kind} phase ${phase.index}` : 'starting';
  return `${where}${cancellation.isRequested ? ' · cancel requested' : ''}`;
};

/**
 * Returns the number of tools executed, with its bound, in words. The standard protocol has no bound, since one answer
 * may run any number of tools.
 */
const toolsExecuted = ({ input, state }: TurnRun): string =>
  `tools executed: ${state.cycle}${input.protocol === 'standard' ? '' : ` of ${state.budgets.maxPhaseCycles}`}`;
