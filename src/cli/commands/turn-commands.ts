import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { CommandNamed } from '../args/command.ts';
import type { CliProcess } from '../process/cli-process.ts';
import type { CliContext } from '../parts/cli-context.ts';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import { withRetries } from '../http/retry.ts';
import { answererAt, TERMINAL_INPUTS } from '../chat/request-prompt.ts';
import { openBareLines } from '../chat/open-lines.ts';
import { askQuestion, attach } from '../turn/ask.ts';
import { createStandingAnswerer, type CreateAnswerer } from '../turn/request-answerer.ts';
import { chooseConversation } from '../chat/choose-conversation.ts';
import { readPrompt } from './prompt-text.ts';
import { resumeConversation } from '../chat/resume-conversation.ts';
import { findAsked } from '../turn/asked-message.ts';
import { resolveTurn } from '../turn/resolve-turn.ts';

/** `orion -p`: asks one question, from the arguments or stdin, and waits for the answer. */
export const runPrompt = async (
  context: CliContext,
  { text, turn, format }: Omit<CommandNamed<'prompt'>, 'name'>,
): Promise<ExitCode> => {
  const { process, screen } = context;
  const resumed = await resumeConversation(context, turn);
  if (resumed.kind === 'none') return resumed.code;
  const content = await readPrompt(process, text, (line) => screen.mention(line));
  if (content === undefined) {
    screen.say('error: the prompt is empty: expected text after -p or on stdin');
    return EXIT.usage;
  }
  return answerOne(context, {
    turn: resumed.turn,
    format,
    content,
    parentTurnId: resumed.asked?.parentTurnId,
  });
};

/** `orion retry`: lets the message of a turn be answered anew, from the same place. */
export const runRetry = async (
  context: CliContext,
  { turnId, turn, format }: CommandNamed<'retry'>,
): Promise<ExitCode> => {
  const found = await findAsked(context, turnId);
  if (found.kind === 'none') return found.code;
  const { conversationId: conversation, content, parentTurnId } = found.asked;
  return answerOne(context, { turn: { ...turn, conversation }, format, content, parentTurnId });
};

interface OneQuestion extends Pick<CommandNamed<'prompt'>, 'turn' | 'format'> {
  readonly content: string;
  /** The turn that the new one goes on from; undefined: the newest of the conversation. */
  readonly parentTurnId: string | null | undefined;
}

const answerOne = async (
  context: CliContext,
  { turn, format, content, parentTurnId }: OneQuestion,
): Promise<ExitCode> => {
  const isWatched = hideTyping(context.process);
  const { answer } = turn;
  const accepts = isWatched && answer === undefined ? TERMINAL_INPUTS : [];
  const conversation = await chooseConversation(context, turn, accepts);
  const unasked = answer === undefined ? undefined : () => createStandingAnswerer(context, answer);
  const createAnswerer = unasked ?? (isWatched ? personAt(context) : undefined);
  const question = { content, format, createAnswerer };
  return (await askQuestion(context, { ...conversation, parentTurnId }, question)).code;
};

/** `orion attach`: shows a turn from its beginning to its end. */
export const runAttach = async (
  context: CliContext,
  { turnId: given, format, ownership }: CommandNamed<'attach'>,
): Promise<ExitCode> => {
  const resolved = await resolveTurn(context, given);
  if (resolved.kind === 'none') return resolved.code;
  const { turnId, projectId, conversationId } = resolved.turn;
  const createAnswerer = hideTyping(context.process) ? personAt(context) : undefined;
  return attach(context, { turnId, projectId, conversationId, format, ownership, createAnswerer });
};

/** `orion cancel`: asks for the end of a turn, and says what became of it. */
export const runCancel = async (
  context: CliContext,
  { turnId: given }: CommandNamed<'cancel'>,
): Promise<ExitCode> => {
  const { turns, retry, screen, printsJson } = context;
  const resolved = await resolveTurn(context, given);
  if (resolved.kind === 'none') return resolved.code;
  const answer = await withRetries(retry, () => turns.cancel(resolved.turn.turnId));
  const line =
    answer.status === 'running' ? 'The turn is being cancelled.' : `The turn has ended: ${answer.status}.`;
  if (printsJson) screen.answer(`${JSON.stringify(answer)}\n`);
  else screen.say(line);
  return EXIT.done;
};

/** proc(5): process group and foreground process group of the terminal, behind the command name. */
const isInForeground = (): boolean => {
  if (process.platform !== 'linux') {
    const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(process.pid)], { encoding: 'utf8' });
    return (stdout ?? '').includes('+');
  }
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return group === foreground;
};

/**
 * Keeps the terminal from showing what is typed while an answer comes: the kernel would write it into the answer. It
 * waits for the shell, which shows it at its prompt, and Ctrl-C and Ctrl-Z do what they did. Node gives the terminal
 * back as it found it, however the process ends. Where there is no `stty`, typing shows as it did.
 *
 * Not raw mode: it takes the keys from the shell and Ctrl-Z from the user. Returns whether somebody reads what comes
 * and may be asked.
 */
const hideTyping = ({ stdin, stdout, stderr }: CliProcess): boolean => {
  if (!stdin.isTTY || !(stdout.isTTY || stderr.isTTY)) return false;
  // In the background the terminal belongs to another process, and touching it would stop this one.
  if (!isInForeground()) return false;
  spawnSync('stty', ['-echo'], { stdio: ['inherit', 'ignore', 'ignore'] });
  return stdout.isTTY === true && stderr.isTTY === true;
};

/** The person is asked below the answer; the terminal is read for as long as a request waits. */
const personAt = (context: CliContext): CreateAnswerer =>
  answererAt(context, undefined, () => openBareLines(context));
