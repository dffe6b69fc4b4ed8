import type { ConversationState, DemoToolResult } from './conversation-state.ts';
import { longText } from './long-text.ts';
import { changedPathOf, reportOf } from './report.ts';
import { type CallWish, TOOLS_OF_WISHES, isTool } from './wish-calls.ts';

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

/** Returns the sentence with which the demo model announces its next call. */
export const demoAnnouncement = ({ hasSpoken }: ConversationState, wish: CallWish): string =>
  `${hasSpoken ? '' : LABEL}${announced(wish)}.`;

const announced = (wish: CallWish): string => {
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

/**
 * Returns the answer of the demo model at the end of a turn: what its calls gave, and which of its wishes were
 * impossible.
 */
export const demoAnswer = (
  conversation: ConversationState,
  wishes: readonly CallWish[],
  impossible: readonly CallWish[],
): string => {
  const { outcomes, refusals, hasSpoken, question, mustAnswer } = conversation;
  const label = hasSpoken ? '' : LABEL;
  if (wishes.length === 0) return label + (longText(question) ?? HELP);
  const paragraphs = outcomes.flatMap((outcome, i) =>
    hasBegun(outcome) ? [] : [reportOf(outcome, changedPathsFrom(conversation, i + 1))],
  );
  const long = wishes.find((wish) => wish.kind === 'write_long');
  if (long && outcomes.some(hasBegun)) {
    const isWritten = conversation.writtenFiles.includes(long.path);
    paragraphs.push(
      isWritten
        ? `${long.path} went through a write session, ${long.lines} lines.`
        : `${long.path} was not written.`,
    );
  }
  if (refusals > 0) paragraphs.push('A call was refused, so I used what I had.');
  if (mustAnswer && outcomes.length + refusals < wishes.length) {
    paragraphs.push('I had to stop before everything was done.');
  }
  paragraphs.push(...impossible.map(notOffered));
  if (paragraphs.length === 0) {
    paragraphs.push('No tool was offered to me, so I could not do what you asked.');
  }
  return label + paragraphs.join('\n\n');
};

/** Reports whether a call has begun a write session, whose text is a message of its own. */
const hasBegun = ({ ok, tool }: DemoToolResult): boolean => ok && isTool(tool, 'begin');

/** Returns the paths of the files that the calls of the turn from index `first` on have changed. */
const changedPathsFrom = (
  { outcomes, writtenFiles }: ConversationState,
  first: number,
): readonly string[] => {
  const later = outcomes.slice(first);
  const changed = later.map(changedPathOf).filter((path) => path !== undefined);
  return later.some(hasBegun) ? [...changed, ...writtenFiles] : changed;
};

const notOffered = (wish: CallWish): string => {
  if (wish.kind === 'ask') {
    return 'I cannot ask here: the client does not show questions (`metadata.inputs`).';
  }
  return wish.kind === 'write' || wish.kind === 'edit' || wish.kind === 'write_long'
    ? `I may not write ${wish.path} here: switch to ACT mode for that.`
    : `The tool ${TOOLS_OF_WISHES[wish.kind]} is not offered to me here.`;
};
