import type { DemoWish } from './wishes.ts';

/** A tool call of the demo model, as its completions contain it. */
export interface DemoCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** A wish that the demo model can fulfil with one tool call. */
export type CallWish = Exclude<DemoWish, { kind: 'fix' }>;

/** The tool that fulfils each kind of wish, without the prefix of its group. */
export const TOOLS_OF_WISHES = {
  list: 'list_files',
  read: 'read_file',
  search: 'search_files',
  write: 'write_to_file',
  edit: 'edit_file',
  write_long: 'begin',
  run: 'run_command',
  ask: 'ask',
  recall: 'search',
} as const satisfies Record<CallWish['kind'], string>;

/**
 * Reports whether a tool has this action. Registered names are `Tool_action`; results in boxed system messages
 * say `Tool.action`.
 */
export const isTool = (name: string, action: string): boolean =>
  /^(FileSystemTool|WritePlanTool|TerminalTool|UserTool|ConversationTool)[._](.+)$/.exec(name)?.[2] ===
  action;

/** Returns the call that fulfils a wish. Undefined if none of the offered tools can. */
export const callOfWish = (wish: CallWish, offered: readonly string[]): DemoCall | undefined => {
  const name = offered.find((tool) => isTool(tool, TOOLS_OF_WISHES[wish.kind]));
  return name === undefined ? undefined : { name, arguments: argumentsOf(wish) };
};

const argumentsOf = (wish: CallWish): Readonly<Record<string, unknown>> => {
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
