import { nearestName } from '../../base/text/nearest-name.ts';
import { safeInLine } from '../../base/text/safe-for-terminal.ts';
import { modeSchema, type TurnMode } from '../../contracts/tools/tool-call.ts';
import { truncateToWidth } from '../render/text-width.ts';

/** The meaning of a line of the conversation: words for the model, or something for this program. */
export type ChatLine =
  | { readonly kind: 'message'; readonly content: string }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'help' | 'new' | 'quit' }
  | { readonly kind: 'mode'; readonly mode: TurnMode }
  | { readonly kind: 'model'; readonly model: string }
  /** `id` is the id of a conversation, or its beginning. */
  | { readonly kind: 'resume'; readonly id: string }
  /**
   * Sends the message of a turn once more, unchanged or edited. An undefined `turnId` means the newest turn of the
   * conversation.
   */
  | { readonly kind: 'retry' | 'edit'; readonly turnId: string | undefined }
  | { readonly kind: 'unknown'; readonly problem: string };

const COMMANDS = [
  { name: '/help', about: 'what there is' },
  { name: '/mode plan', about: 'look only, change nothing' },
  { name: '/mode act', about: 'change files as well' },
  { name: '/model', about: 'and a name: answer by this one from now on' },
  { name: '/retry', about: 'have your last message answered anew; and an id: that of this turn' },
  {
    name: '/edit',
    about: 'change your last message, and go on from before it; and an id: that of this turn',
  },
  { name: '/new', about: 'begin a new conversation (also /clear)' },
  { name: '/resume', about: 'and an id, or its beginning: go on with this conversation' },
  { name: '/quit', about: 'leave (also Ctrl-D)' },
] as const;

/** The text of `/help` in the chat: its commands, and the key that stops an answer. */
export const CHAT_HELP = [
  ...COMMANDS.map(({ name, about }) => `${name.padEnd(12)} ${about}`),
  'Esc or Ctrl-C stops an answer.',
].join('\n');

const COMMAND_NAMES = [
  'help',
  'mode',
  'model',
  'retry',
  'edit',
  'new',
  'clear',
  'resume',
  'quit',
  'exit',
] as const;
type CommandName = (typeof COMMAND_NAMES)[number];

/** Largest width of words that a problem repeats, in cells. */
const SHOWN_CELLS = 60;

/** Matches a word after a slash, and what follows it. */
const SLASH_LINE = /^\/([a-z]+)(?:\s+(.+))?$/s;

/**
 * Reads a line of the prompt: a message for the model, or a command that begins with `/`. A message may begin with a
 * slash, too: `/etc is a folder`. A command with more words than it takes is refused, because carrying it out would
 * lose these words. A line that begins with `!`, which runs a shell command in similar programs, is refused. Never
 * throws.
 */
export const readChatLine = (line: string): ChatLine => {
  if (line.trim() === '') return { kind: 'nothing' };
  if (line.trimStart().startsWith('!')) {
    return {
      kind: 'unknown',
      problem: 'A line that begins with ! is not run here: type it in a shell (Ctrl-Z, then fg).',
    };
  }
  const [, name, words] = SLASH_LINE.exec(line.trim()) ?? [];
  const command = COMMAND_NAMES.find((known) => known === name);
  if (command !== undefined) return readCommand(command, words);
  const isMistypedCommand = name !== undefined && !/\s/.test(words ?? '');
  return isMistypedCommand
    ? { kind: 'unknown', problem: unknownCommandText(name) }
    : { kind: 'message', content: line };
};

/** Reads a command from its name and the words after it, undefined if there are none. */
const readCommand = (command: CommandName, words: string | undefined): ChatLine => {
  const isOneWord = words !== undefined && !/\s/.test(words);
  const refused = (expected: string): ChatLine => ({
    kind: 'unknown',
    problem: `/${command}: expected ${expected}, received ${words === undefined ? 'nothing' : shortened(words)}`,
  });
  switch (command) {
    case 'help':
    case 'new':
    case 'quit':
      return words === undefined ? { kind: command } : refused('nothing after it');
    case 'clear':
      return words === undefined ? { kind: 'new' } : refused('nothing after it');
    case 'exit':
      return words === undefined ? { kind: 'quit' } : refused('nothing after it');
    case 'model':
      return isOneWord ? { kind: 'model', model: words } : refused('a name');
    case 'resume':
      return isOneWord ? { kind: 'resume', id: words } : refused('an id (`orion sessions` lists them)');
    case 'retry':
    case 'edit':
      return words === undefined || isOneWord ? { kind: command, turnId: words } : refused('one id');
    case 'mode': {
      const mode = modeSchema.safeParse(words);
      return mode.success ? { kind: 'mode', mode: mode.data } : refused('plan or act');
    }
    default:
      return command satisfies never;
  }
};

/** Returns words that may be a pasted text of any length as they are repeated in a message: in one line, cut short. */
const shortened = (words: string): string =>
  truncateToWidth(safeInLine(words.slice(0, SHOWN_CELLS + 1)), SHOWN_CELLS);

const unknownCommandText = (name: string): string => {
  const near = nearestName(name, COMMAND_NAMES);
  const hint = near === undefined ? '' : ` Did you mean /${near}?`;
  return `Unknown command /${name}.${hint} /help shows what there is.`;
};

/** Returns the commands of the chat that begin with `line`, for completion by Tab. Returns none for a message. */
export const completeChatLine = (line: string): readonly string[] =>
  line.startsWith('/') ? COMMANDS.map(({ name }) => name).filter((name) => name.startsWith(line)) : [];
