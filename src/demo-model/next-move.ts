import type { ChatRequest } from './chat-request.ts';
import { type ConversationState, readConversation } from './conversation-state.ts';
import { longText } from './long-text.ts';
import { reportOf } from './report.ts';
import { fixOf } from './code-fix.ts';
import { demoLines, readWishes, type DemoWish } from './wishes.ts';
import { summaryOf } from './summary.ts';

/** The next text of the demo model, and the tool that it calls after that. */
export interface DemoMove {
  readonly text: string;
  readonly call?: { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> };
  /** True when the text is a file, which is streamed in whole lines. */
  readonly isFile?: boolean;
}

const LABEL = '**Orion demo model** (no AI behind it): ';

const HELP = `I am the small model that is built into Orion, so that it can be tried without a key. I cannot think, but I really use the tools:

- "List the files and read README.md"
- "Search for \`export\` in src/"
- "Write a file notes/hello.md with Hello from Orion"
- "Fix src/tides.py: replace \`range(1, count)\` with \`range(count)\`"
- "Write a file notes/long.md of 400 lines" (a write session)
- "Fix the bug in src/calc.js, then run the tests" (it sees when a function called add does not add)
- "Run \`ls -l\`" (a command, where ORION_COMMANDS switches them on)
- "Ask me which colour I like" (a question that the turn waits for, where the client shows such)
- "What did I say about tea?" (a search of this conversation, also of what prompts leave out)
- "Give me a 20 s answer" (time enough to kill a process and see that no word is lost)

For a real model set OPENAI_API_KEY, and if it is not OpenAI's also OPENAI_BASE_URL and ORION_MODEL, then start again.`;

/**
 * Returns the next move of the demo model. It depends only on messages and tools, so the same prompt always gives the
 * same move.
 */
export const nextMove = ({ messages, tools }: Pick<ChatRequest, 'messages' | 'tools'>): DemoMove => {
  const summary = summaryOf(messages);
  if (summary !== undefined) return { text: summary };
  const conversation = readConversation(messages);
  const wishes = readWishes(conversation.question).flatMap((wish) => stepsOf(wish, conversation));
  const file = fileToWrite(conversation, wishes);
  if (file) return { text: `${demoLines(file.path, file.lines)}DONE\n`, isFile: true };
  const offered = tools?.map(({ function: { name } }) => name) ?? [];
  const plan = wishes.map((wish) => ({ wish, call: callFor(wish, offered) }));
  const possible = plan.flatMap(({ wish, call }) => (call ? [{ wish, call }] : []));
  // Each outcome or refusal so far has used up one call of the plan.
  const next = possible[conversation.outcomes.length + conversation.refusals];
  if (next && !conversation.mustAnswer) return { text: announce(conversation, next.wish), call: next.call };
  const refused = offered.length > 0 ? plan.filter(({ call }) => !call).map(({ wish }) => wish) : [];
  return { text: answer(conversation, wishes, refused) };
};

/**
 * Finds the wish whose write session waits for its content: the last result has begun the session, and the model has
 * said nothing since.
 */
const fileToWrite = (conversation: ConversationState, wishes: readonly Step[]) => {
  const last = conversation.outcomes.at(-1);
  if (!last?.ok || conversation.hasAnswered || !isTool(last.tool, 'begin')) return undefined;
  return wishes.find((wish) => wish.kind === 'write_long');
};

/** A wish that one tool call fulfils. */
type Step = Exclude<DemoWish, { kind: 'fix' }>;

/**
 * Returns the wishes for single calls that fulfil a wish. To fix a file, the model reads it first, and edits it once
 * the result shows a bug that the model knows.
 */
const stepsOf = (wish: DemoWish, { outcomes }: ConversationState): readonly Step[] => {
  if (wish.kind !== 'fix') return [wish];
  const fix = outcomes.map((outcome) => fixOf(outcome, wish.path)).find((found) => found !== undefined);
  return [{ kind: 'read', path: wish.path }, ...(fix ? [fix] : [])];
};

const toolOf = {
  list: 'list_files',
  read: 'read_file',
  search: 'search_files',
  write: 'write_to_file',
  edit: 'edit_file',
  write_long: 'begin',
  run: 'run_command',
  ask: 'ask',
  recall: 'search',
} as const satisfies Record<Step['kind'], string>;

/**
 * Reports whether a tool has this action. Registered names are `Tool_action`; results in system messages (between
 * rules) say `Tool.action`.
 */
const isTool = (name: string, action: string): boolean =>
  /^(FileSystemTool|WritePlanTool|TerminalTool|UserTool|ConversationTool)[._](.+)$/.exec(name)?.[2] ===
  action;

const callFor = (wish: Step, offered: readonly string[]): DemoMove['call'] => {
  const name = offered.find((tool) => isTool(tool, toolOf[wish.kind]));
  return name === undefined ? undefined : { name, arguments: argumentsOf(wish) };
};

const argumentsOf = (wish: Step): Readonly<Record<string, unknown>> => {
  switch (wish.kind) {
    case 'list':
      return { path: wish.path, recursive: false };
    case 'read':
      return { path: wish.path };
    case 'search':
      return { path: wish.path, regex: escapeRegex(wish.text) };
    case 'write':
      return { path: wish.path, content: wish.content };
    case 'edit':
      return { path: wish.path, edits: [{ old: wish.old, new: wish.new }] };
    case 'run':
      return { command: wish.command };
    case 'ask':
      return { question: wish.question };
    case 'recall':
      return { query: wish.query };
    case 'write_long':
      return {
        target_file: wish.path,
        operation: wish.operation,
        intent: `A demo file of ${wish.lines} lines`,
      };
    default:
      return wish satisfies never;
  }
};

const escapeRegex = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');

const announce = ({ hasSpoken }: ConversationState, wish: Step): string =>
  `${hasSpoken ? '' : LABEL}${announced(wish)}.`;

const announced = (wish: Step): string => {
  switch (wish.kind) {
    case 'list':
      return `I look at the files ${wish.path === '.' ? 'of the workspace' : wish.path}`;
    case 'read':
      return `I read ${wish.path}`;
    case 'search':
      return `I search ${wish.path}`;
    case 'write':
      return `I write ${wish.path}`;
    case 'edit':
      return `I edit ${wish.path}`;
    case 'write_long':
      return `I begin a write session for ${wish.path}`;
    case 'run':
      return `I run ${wish.command}`;
    case 'ask':
      return 'I have a question';
    case 'recall':
      return 'I look for it in this conversation';
    default:
      return wish satisfies never;
  }
};

const answer = (
  conversation: ConversationState,
  wishes: readonly Step[],
  impossible: readonly Step[],
): string => {
  const { outcomes, refusals, hasSpoken, question, mustAnswer } = conversation;
  const label = hasSpoken ? '' : LABEL;
  if (wishes.length === 0) return label + (longText(question) ?? HELP);
  const parts = outcomes.filter(({ ok, tool }) => !ok || !isTool(tool, 'begin')).map(reportOf);
  const long = wishes.find((wish) => wish.kind === 'write_long');
  if (long && outcomes.some(({ ok, tool }) => ok && isTool(tool, 'begin'))) {
    const isWritten = conversation.writtenFiles.includes(long.path);
    parts.push(
      isWritten
        ? `${long.path} went through a write session, ${long.lines} lines.`
        : `${long.path} was not written.`,
    );
  }
  if (refusals > 0) parts.push('A call was refused, so I used what I had.');
  if (mustAnswer && outcomes.length + refusals < wishes.length) {
    parts.push('I had to stop before everything was done.');
  }
  parts.push(...impossible.map(notOffered));
  if (parts.length === 0) parts.push('No tool was offered to me, so I could not do what you asked.');
  return label + parts.join('\n\n');
};

const notOffered = (wish: Step): string => {
  if (wish.kind === 'ask') {
    return 'I cannot ask here: the client does not show questions (`metadata.inputs`).';
  }
  return wish.kind === 'write' || wish.kind === 'edit' || wish.kind === 'write_long'
    ? `I may not write ${wish.path} here: switch to ACT mode for that.`
    : `The tool ${toolOf[wish.kind]} is not offered to me here.`;
};
