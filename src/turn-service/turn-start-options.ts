import type { WorkflowStartOptions } from '@temporalio/client';
import type { SearchAttributePair } from '@temporalio/common';
import { MAX_WAITING_MS } from '../contracts/inputs/input-request.ts';
import {
  ORION_CONVERSATION,
  ORION_PROJECT,
  ORION_PROTOCOL,
  ORION_STATUS,
} from '../contracts/payload/search-attribute-keys.ts';
import type { TurnInput } from '../contracts/payload/turn-workflow-payloads.ts';
import { MAX_PHASE_CYCLES, MAX_TURN_MS } from '../contracts/turn/budgets.ts';
import { MAX_BATCH_WAIT_MS } from '../contracts/wire/event-batch.ts';
import { turnWorkflowId } from '../contracts/values/workflow-ids.ts';
import { redactText } from '../trace/redact-text.ts';

/** The shortest timeout in milliseconds. After the timeout, the task of a dead worker goes to another one. */
const MIN_TASK_MS = 2_000;
/** Milliseconds of the timeout for each cycle. A cycle with the largest tool result takes 20 ms of processor time. */
const TASK_CYCLE_MS = 80;
/**
 * Milliseconds of the timeout for each batch of text: four times the 3 ms of processor time that it takes. Without a
 * live lane there is a batch every second instead of every four, which uses up that margin.
 */
const TASK_BATCH_MS = 12;
/**
 * Milliseconds of the timeout in the standard protocol, in place of those for cycles: one answer may run dozens of
 * tools.
 */
const TASK_STANDARD_MS = 10_000;

/**
 * Returns the timeout of a turn's workflow tasks in milliseconds: four times the processor time that a replay of the
 * largest turn of its kind was measured to need (docs/decisions/workflow-task-timeout.md). After the loss of a worker,
 * a task replays the whole turn. A task that takes longer than its timeout is tried again and again, until Temporal
 * ends the turn. The timeout therefore has room for every cycle that messages and replies may still grant, and for the
 * time that replies may grant.
 */
export const workflowTaskTimeoutMs = (input: TaskFacts): number => {
  const { protocol, maxPhaseCyclesLimit = MAX_PHASE_CYCLES } = input;
  const toolMs = protocol === 'standard' ? TASK_STANDARD_MS : maxPhaseCyclesLimit * TASK_CYCLE_MS;
  const batchMs = (maxWorkMs(input) / MAX_BATCH_WAIT_MS) * TASK_BATCH_MS;
  return Math.max(MIN_TASK_MS, Math.ceil(toolMs + batchMs));
};

type TaskFacts = Pick<TurnInput, 'protocol' | 'budgets' | 'inputs' | 'maxPhaseCyclesLimit'>;

/**
 * Returns the longest time in milliseconds that the turn may work, apart from forced answers after that time. A reply
 * at a limit may grant more time; a message cannot.
 */
const maxWorkMs = (input: Pick<TurnInput, 'budgets' | 'inputs'>): number =>
  mayGetMoreTime(input) ? MAX_TURN_MS : input.budgets.maxTurnMs;

const mayGetMoreTime = ({ inputs }: Pick<TurnInput, 'inputs'>): boolean =>
  inputs?.accepts?.includes('limit') === true;

/**
 * Milliseconds that a turn has after its own time, for forced answers and to wait for workers. Then Temporal ends it.
 */
const EXECUTION_SLACK_MS = 600_000;

/** Returns the options with which the workflow of a turn is started. Each start of a turn has the same. */
export const turnStartOptions = (taskQueue: string, input: TurnInput): WorkflowStartOptions => ({
  workflowId: turnWorkflowId(input.turnId),
  taskQueue,
  args: [input],
  workflowIdReusePolicy: 'REJECT_DUPLICATE',
  workflowIdConflictPolicy: 'USE_EXISTING',
  workflowExecutionTimeout:
    maxWorkMs(input) + EXECUTION_SLACK_MS + (input.inputs === undefined ? 0 : MAX_WAITING_MS),
  workflowTaskTimeout: workflowTaskTimeoutMs(input),
  // The message itself is in the input, but lists show only memos.
  memo: { question: firstWords(input.content) },
  staticSummary: `${input.protocol} · ${input.mode} · ${input.projectId}/${input.conversationId}`,
  ...(input.searchAttributes && { typedSearchAttributes: searchAttributesOf(input) }),
});

const searchAttributesOf = (input: TurnInput): SearchAttributePair[] => [
  { key: ORION_PROJECT, value: input.projectId },
  { key: ORION_CONVERSATION, value: input.conversationId },
  { key: ORION_PROTOCOL, value: input.protocol },
  { key: ORION_STATUS, value: 'running' },
];

const MAX_MEMO_CHARACTERS = 80;
/** Number of characters of a message that are read: enough to recognise a secret that begins within what is shown. */
const SCANNED_CHARACTERS = 4_096;
/** Control and format characters (bidi among them) and every kind of space, since lists show one line. */
const GAPS = /[\p{Cc}\p{Cf}\p{Z}]+/gu;

/**
 * Returns the beginning of a user's message for lists of turns: one line of at most 80 characters, without secrets, as
 * in traces.
 */
export const firstWords = (content: string): string => {
  const line = redactText(content.slice(0, SCANNED_CHARACTERS)).replace(GAPS, ' ').trim();
  const characters = Array.from(line);
  return characters.length <= MAX_MEMO_CHARACTERS
    ? characters.join('')
    : `${characters
        .slice(0, MAX_MEMO_CHARACTERS - 1)
        .join('')
        .trimEnd()}…`;
};
