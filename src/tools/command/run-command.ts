import { join } from 'node:path';
import { z } from 'zod';
import { DEFAULT_COMMAND_SECONDS, MAX_COMMAND_SECONDS } from '../../contracts/tools/built-in-tools.ts';
import { OUTCOME_UNKNOWN, type ToolDeclaration } from '../../contracts/tools/tool-call.ts';
import type { Workspace } from '../../files/workspace/workspace.ts';
import { builtInTool } from '../built-in-tool.ts';
import { CapturedOutput } from './captured-output.ts';
import type { CommandHost } from './command-host.ts';
import { CommandLostError, SandboxError } from './command-failure.ts';
import { CLOSE_MS, type CommandEnd, type CommandStopCause, TERMINATION_MS } from './command-process.ts';
import { LivePieces } from './live-pieces.ts';
import { PROTECTED_SEARCH_MS } from './protected-paths.ts';
import type { Tool, ToolContext, ToolOutcome } from '../tool.ts';
import { KIB } from '../../contracts/values/units.ts';

/** Largest length of a command, in characters. A longer one is a script, which belongs in a file. */
const MAX_COMMAND_CHARACTERS = 16 * KIB;
/**
 * Time in milliseconds that a call may take beyond the command's own time: for finding the protected files, for ending
 * the command, and 2 s more. It must be less than `COMMAND_SLACK_MS` (`built-in-tools.ts`), so that the tool ends the
 * command before the call itself times out.
 */
const TOOL_SLACK_MS = PROTECTED_SEARCH_MS + TERMINATION_MS + CLOSE_MS + 2_000;
/** Milliseconds that ending a command may take beyond the waits for its end and for its outputs. */
const END_SLACK_MS = 500;

const inputSchema = z.strictObject({
  command: z
    .string()
    .min(1)
    .max(MAX_COMMAND_CHARACTERS)
    .refine((text) => !text.includes('\0') && text.isWellFormed(), {
      message: 'expected valid Unicode text without NUL',
    })
    .describe('Shell command; it reads no input'),
  timeout_s: z
    .number()
    .int()
    .min(1)
    .max(MAX_COMMAND_SECONDS)
    .default(DEFAULT_COMMAND_SECONDS)
    .describe('Seconds after which it is ended'),
  cwd: z.string().default('.').describe('Directory relative to the workspace root'),
});
type Input = z.infer<typeof inputSchema>;

export interface RunCommandDeps {
  readonly host: CommandHost;
  /** `ask`: a person is asked about every command that no rule allows. */
  readonly approvals: 'ask' | 'allow';
}

/** Creates `TerminalTool_run_command`, which runs a command in the project's folder (docs/tools.md "Commands"). */
export const createRunCommandTool = (workspace: Workspace, deps: RunCommandDeps): Tool<Input> => {
  const { declaration, aliases } = builtInTool('TerminalTool_run_command');
  return {
    declaration: declarationOf(declaration, deps),
    aliases,
    description: describeTool(deps.host),
    input: inputSchema,
    timeoutMs: MAX_COMMAND_SECONDS * 1_000 + TOOL_SLACK_MS,
    graceMs: TERMINATION_MS + CLOSE_MS + END_SLACK_MS,
    execute: (input, context) => execute(workspace, deps.host, input, context),
  };
};

/**
 * Returns the tool's declaration. With `ask`, a person is asked about each call that no rule allows. Without a sandbox
 * a command could reply to the request about a later one, so a reply then allows only one call.
 */
const declarationOf = (declaration: ToolDeclaration, { host, approvals }: RunCommandDeps): ToolDeclaration =>
  approvals === 'allow'
    ? declaration
    : { ...declaration, needsApproval: host.isSandboxed ? 'unless_allowed' : 'each_call' };

const describeTool = ({ isSandboxed }: CommandHost): string =>
  'Run a shell command in the workspace and get its exit code and output. ' +
  (isSandboxed
    ? 'It has no network, and can write the workspace and /tmp only; .git and .orion are read-only. '
    : '') +
  'What it leaves running is ended with it. Files are better read and written with the file tools.';

const STOP_REASONS: Record<CommandStopCause, string> = {
  timeout: 'it took too long',
  cancelled: 'it was interrupted',
  output: 'it printed too much',
  processes: 'it had too many processes',
  memory: 'it took too much memory',
  exposed: 'a protected file was saved meanwhile, which it could then have read; its output is left out',
};

const execute = async (
  workspace: Workspace,
  host: CommandHost,
  { command, timeout_s: seconds, cwd }: Input,
  { projectId, signal, deadline, onOutput, fence }: ToolContext,
): Promise<ToolOutcome> => {
  const folder = await workspace.resolveFolder(projectId);
  const place = await workspace.withDirectory(projectId, cwd, (_directory, trail) =>
    Promise.resolve(join(folder, ...trail)),
  );
  const timeoutMs = Math.min(seconds * 1_000, Math.max((deadline ?? Infinity) - Date.now(), 1));
  const captured = new CapturedOutput();
  const live = new LivePieces((output) => onOutput?.(output));
  const began = performance.now();
  try {
    const end = await host.run(
      { command, folder, cwd: place, timeoutMs },
      {
        signal,
        mayBegin: () => fence.holds(),
        onOutput: (stream, bytes) => {
          captured.add(bytes);
          live.add(stream, bytes);
        },
      },
    );
    return commandOutcome(end, { captured, host, seconds: (performance.now() - began) / 1_000 });
  } catch (error) {
    return outcomeWithoutEnd(error);
  } finally {
    live.end();
  }
};

/** Returns the outcome of a command whose end nobody saw. Throws any error that says nothing about the command. */
const outcomeWithoutEnd = (error: unknown): ToolOutcome => {
  if (error instanceof SandboxError) {
    return { ok: false, error: `the command could not be run: ${error.message}` };
  }
  if (!(error instanceof CommandLostError)) throw error;
  return {
    ok: false,
    error: OUTCOME_UNKNOWN,
    details: `${error.message}; the command may have done its work.`,
  };
};

interface CommandRun {
  readonly captured: CapturedOutput;
  readonly host: CommandHost;
  readonly seconds: number;
}

/** Returns the outcome of a command. An exit code other than 0 is a result, and so is a command that was ended. */
const commandOutcome = (
  { exitCode, signal, stopped }: CommandEnd,
  { captured, host, seconds }: CommandRun,
): ToolOutcome => {
  const result = (output: string) => ({
    exit_code: exitCode,
    ...(signal !== undefined && { signal }),
    ...(stopped && { ended: STOP_REASONS[stopped] }),
    seconds: Math.round(seconds * 10) / 10,
    ...(!host.isSandboxed && { sandbox: 'off' }),
    output,
  });
  if (stopped === 'exposed') return { ok: true, result: result('') };
  return { ok: true, result: result(captured.shown), traceResult: result(captured.kept) };
};
