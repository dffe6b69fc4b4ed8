import { KIB } from '../values/units.ts';
import type { ToolDeclaration } from './tool-call.ts';

const declare = (
  name: string,
  declaration: Partial<ToolDeclaration> & Pick<ToolDeclaration, 'effect'>,
): ToolDeclaration => ({ name, pathArguments: ['path'], volatileFields: [], defaults: {}, ...declaration });

/**
 * The tool that begins a write session. The core recognises it by its declaration (`beginsWriteSession`), not by this
 * name.
 */
export const BEGIN_WRITE_SESSION = 'WritePlanTool_begin';

/**
 * Largest number of lines of a file that `FileSystemTool_write_to_file` takes. Models cut longer texts inside JSON
 * arguments, so longer files go through write sessions.
 */
export const MAX_WRITE_TO_FILE_LINES = 150;
/** The most bytes of a file that `FileSystemTool_write_to_file` takes. */
export const MAX_WRITE_TO_FILE_BYTES = 8 * KIB;

/** The most seconds that a call may give its command by `timeout_s`. */
export const MAX_COMMAND_SECONDS = 600;
/** Seconds that a command has when its call names no `timeout_s`. */
export const DEFAULT_COMMAND_SECONDS = 120;
/** The number of matches that a search of a conversation returns if the call does not say. */
export const DEFAULT_SEARCH_MATCHES = 5;
/**
 * Milliseconds that a call may take beyond its command's own time. The tool's own limit (`run-command.ts`) is 5 s
 * shorter, so that the tool itself ends the command and can still report it.
 */
const COMMAND_SLACK_MS = 30_000;

/** The tools that every Orion has (docs/tools.md), as the protocol core must know them. */
export const BUILT_IN_TOOLS: readonly ToolDeclaration[] = [
  declare('FileSystemTool_read_file', { effect: 'read' }),
  declare('FileSystemTool_list_files', { effect: 'read', defaults: { recursive: true, no_ignore: false } }),
  declare('FileSystemTool_search_files', { effect: 'read', defaults: { no_ignore: false } }),
  declare('FileSystemTool_list_code_definition_names', { effect: 'read' }),
  declare('FileSystemTool_write_to_file', { effect: 'write' }),
  declare('FileSystemTool_edit_file', { effect: 'write' }),
  declare('TerminalTool_run_command', {
    effect: 'write',
    pathArguments: ['cwd'],
    defaults: { timeout_s: DEFAULT_COMMAND_SECONDS, cwd: '.' },
    longestMs: MAX_COMMAND_SECONDS * 1_000 + COMMAND_SLACK_MS,
    runsCommand: true,
  }),
  declare('ConversationTool_search', {
    effect: 'read',
    pathArguments: [],
    defaults: { limit: DEFAULT_SEARCH_MATCHES },
  }),
  declare(BEGIN_WRITE_SESSION, {
    effect: 'write',
    pathArguments: ['target_file'],
    beginsWriteSession: { sessionId: 'session_id', target: 'target_file' },
  }),
];

/**
 * The tools that write a file of the workspace when they are called. An undo of the turn restores such files, and the
 * chat page shows their changes.
 */
export const FILE_WRITERS: readonly string[] = ['FileSystemTool_write_to_file', 'FileSystemTool_edit_file'];

/** The tool that asks the user. It is offered to the model only in turns whose client shows questions. */
export const ASK_USER: ToolDeclaration = declare('UserTool_ask', {
  effect: 'read',
  pathArguments: [],
  defaults: { multiple: false },
  asks: 'question',
});

/**
 * Returns the short name of a tool, such as `read_file` for `FileSystemTool_read_file`. Models often leave the prefix
 * out.
 */
export const toolAlias = (name: string): string => name.slice(name.indexOf('_') + 1);

/** Returns the built-in tool with this name or alias. Returns undefined for any other name, and for `ASK_USER`. */
export const describeBuiltInTool = (name: string): ToolDeclaration | undefined =>
  BUILT_IN_TOOLS.find((tool) => tool.name === name || toolAlias(tool.name) === name);
