import { nearestName } from '../../base/text/nearest-name.ts';
import { modeSchema, type TurnMode } from '../../contracts/tools/tool-call.ts';

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

const COMMAND_NAMES = ['help', 'mode', 'model', 'retry', 'edit', 'new', 'clear', 'resume', 'quit', 'exit'];

/** Matches a command with at most one argument. A message may begin with a slash, too: `/etc/hosts is what?`. */
const COMMAND = /^\/([a-z]+)(?:\s+(\S+))?\s*$/;

/**
 * Reads a line of the prompt: a message for the model, or a command that begins with `/`. A line that begins with `!`,
 * which runs a shell command in similar programs, is refused. Never throws.
 */
export const readChatLine = (line: string): ChatLine => {
  if (line.trim() === '') return { kind: 'nothing' };
  if (line.trimStart().startsWith('!')) {
    return {
      kind: 'unknown',
      problem: 'A line that begins with ! is not run here: type it in a shell (Ctrl-Z, then fg).',
    };
  }
  const [, name, argument] = COMMAND.exec(line.trim()) ?? [];
  switch (name) {
    case undefined:
      return { kind: 'message', content: line };
    case 'help':
    case 'new':
    case 'quit':
      return { kind: name };
    case 'clear':
      return { kind: 'new' };
    case 'model':
      return argument === undefined
        ? missingArgument('/model', 'a name')
        : { kind: 'model', model: argument };
    case 'resume':
      return argument === undefined
        ? missingArgument('/resume', 'an id (`orion sessions` lists them)')
        : { kind: 'resume', id: argument };
    case 'retry':
    case 'edit':
      return { kind: name, turnId: argument };
    case 'exit':
      return { kind: 'quit' };
    case 'mode':
      return readMode(argument);
    default:
      return { kind: 'unknown', problem: unknownCommand(name) };
  }
};

const missingArgument = (command: string, expected: string): ChatLine => ({
  kind: 'unknown',
  problem: `${command}: expected ${expected}, received nothing`,
});

const unknownCommand = (name: string): string => {
  const near = nearestName(name, COMMAND_NAMES);
  const hint = near === undefined ? '' : ` Did you mean /${near}?`;
  return `Unknown command /${name}.${hint} /help shows what there is.`;
};

const readMode = (argument: string | undefined): ChatLine => {
  const mode = modeSchema.safeParse(argument);
  if (mode.success) return { kind: 'mode', mode: mode.data };
  return { kind: 'unknown', problem: `/mode: expected plan or act, received ${argument ?? 'nothing'}` };
};

/** Returns the commands of the chat that begin with `line`, for completion by Tab. Returns none for a message. */
export const completeChatLine = (line: string): readonly string[] =>
  line.startsWith('/') ? COMMANDS.map(({ name }) => name).filter((name) => name.startsWith(line)) : [];
