import { Random } from '../../support/random.ts';
import { answer, longAnswer, answerWithCall } from '../../support/fake-model/responses.ts';
import type { ChatRequest } from '../../support/fake-model/rule-book.ts';
import type { Response } from '../../support/fake-model/script.ts';

const STEPS = ['write', 'write', 'command', 'question', 'client'] as const;
export type PlannedStep = (typeof STEPS)[number];

const TOOLS: Readonly<Record<PlannedStep, string>> = {
  write: 'FileSystemTool_write_to_file',
  command: 'TerminalTool_run_command',
  question: 'UserTool_ask',
  client: 'app_click',
};
const PIECES_PER_SECOND = 50;

/** What a turn of a schedule is going to do, which depends only on its seed. */
export interface TurnPlan {
  readonly seed: number;
  readonly turnId: string;
  /** The tool calls of the turn in this order, one for each step before the answer. */
  readonly steps: readonly PlannedStep[];
  /** When set, the turn may run one tool, and then asks whether it may go on. */
  readonly asksAtLimit: boolean;
  /** The number of pieces of the answer. */
  readonly pieces: number;
}

export const planOf = (seed: number): TurnPlan => {
  const random = new Random(seed);
  const steps = Array.from({ length: 1 + random.below(2) }, () => random.pick(STEPS) ?? 'write');
  return {
    seed,
    turnId: `schedule-${seed}`,
    steps,
    asksAtLimit: random.chance(0.2),
    pieces: 3 + random.below(15),
  };
};

/** Returns the body of the request that starts the turn. */
export const startOf = ({ seed, turnId, asksAtLimit }: TurnPlan) => ({
  projectId: 'test',
  conversationId: turnId,
  requestId: turnId,
  content: `schedule ${seed}.`,
  metadata: {
    approvals: 'writes',
    inputs: ['question', 'limit'],
    ...(asksAtLimit && { maxPhaseCycles: 1 }),
  },
  tools: [{ name: TOOLS.client, description: 'Clicks a button', parameters: { type: 'object' } }],
});

/** A call of a plan, and the file by which its effects are counted. */
export interface PlannedCall {
  readonly callId: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly file: string;
}

export const callOf = ({ seed, steps }: TurnPlan, at: number): PlannedCall => {
  const step = steps[at] ?? 'write';
  const file = `${seed}-${at}.txt`;
  const byStep: Record<PlannedStep, PlannedCall['arguments']> = {
    write: { path: file, content: 'x' },
    // A command that runs twice writes two characters.
    command: { command: `printf x >> ${file}` },
    question: { question: `Which ${file}?` },
    client: { at: file },
  };
  return { callId: `call_${seed}_${at}`, tool: TOOLS[step], arguments: byStep[step], file };
};

/** The mark of a message that may begin a turn of its own. */
export const QUEUED = 'Next:';

/**
 * Plays the model of all schedules: it does what the plan of the turn says, whatever else it is told. Returns undefined
 * for a request that belongs to no schedule.
 */
export const playPlan = ({ messages = [], tools = [] }: ChatRequest): Response | undefined => {
  const said = messages.filter(({ role }) => role === 'user').map(({ content }) => String(content));
  const seed = said.flatMap((text) => /schedule (\d+)\./.exec(text)?.[1] ?? [])[0];
  if (seed === undefined) return undefined;
  if (said.at(-1)?.includes(QUEUED)) return answer('Next.');
  const plan = planOf(Number(seed));
  const done = messages.filter((message) => 'tool_calls' in message).length;
  if (done >= plan.steps.length || tools.length === 0) return longAnswer(plan.pieces, PIECES_PER_SECOND);
  const { tool, arguments: args, callId } = callOf(plan, done);
  return answerWithCall(tool, args, { id: callId, text: `Step ${done}. ` });
};
