import { modeSchema, type Mode } from '../../contracts/tool-call.ts';

/** What a line of the conversation is: words for the model, or something for this program. */
export type ChatLine =
  | { readonly kind: 'ask'; readonly content: string }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'help' | 'new' | 'quit' }
  | { readonly kind: 'mode'; readonly mode: Mode }
  | { readonly kind: 'unknown'; readonly problem: string };

const COMMANDS = [
  { name: '/help', about: 'what there is' },
  { name: '/mode plan', about: 'look only, change nothing' },
  { name: '/mode act', about: 'change files as well' },
  { name: '/new', about: 'begin a new conversation' },
  { name: '/quit', about: 'leave (also Ctrl-D)' },
] as const;

export const chatHelp = COMMANDS.map(({ name, about }) => `${name.padEnd(12)} ${about}`).join('\n');

/** A path such as `/etc/hosts is what?` begins with a slash too: only single words count as commands. */
const COMMAND = /^\/([a-z]+)(?:\s+(\S+))?\s*$/;

export const readChatLine = (line: string): ChatLine => {
  if (line.trim() === '') return { kind: 'nothing' };
  const [, name, argument] = COMMAND.exec(line.trim()) ?? [];
  switch (name) {
    case undefined:
      return { kind: 'ask', content: line };
    case 'help':
    case 'new':
    case 'quit':
      return { kind: name };
    case 'exit':
      return { kind: 'quit' };
    case 'mode':
      return readMode(argument);
    default:
      return { kind: 'unknown', problem: `Unknown command /${name}: /help shows what there is.` };
  }
};

const readMode = (argument: string | undefined): ChatLine => {
  const mode = modeSchema.safeParse(argument);
  if (mode.success) return { kind: 'mode', mode: mode.data };
  return { kind: 'unknown', problem: `/mode: expected plan or act, received ${argument ?? 'nothing'}` };
};

/** Commands that begin with `line`. */
export const completeChatLine = (line: string): readonly string[] =>
  line.startsWith('/') ? COMMANDS.map(({ name }) => name).filter((name) => name.startsWith(line)) : [];
