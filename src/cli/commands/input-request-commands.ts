import { readFileSync } from 'node:fs';
import { errorMessage } from '../../contracts/values/error-message.ts';
import { safeForTerminal, safeInLine } from '../../base/text/safe-for-terminal.ts';
import type { InputView } from '../../contracts/http/input-api.ts';
import { replyBodySchema, type ReplyBody } from '../../contracts/inputs/reply.ts';
import { parseJson } from '../../contracts/values/parse-json.ts';
import type { CommandNamed } from '../args/command.ts';
import type { CliContext } from '../command-context/cli-context.ts';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import { withRetries } from '../http/retry.ts';
import { postReply } from '../turn/input-request-responder.ts';
import { replyHint, inputRequestLines } from '../turn/input-request-lines.ts';
import { shortTime } from '../render/short-time.ts';
import { jsonLine } from '../render/output.ts';

/** Maximum number of requests that `orion waiting` lists. */
const PAGE_SIZE = 50;

/** The parts of the context that `orion waiting` and `orion reply` use. */
interface InputRequestContext extends Pick<CliContext, 'inputRequests' | 'retry' | 'printsJson'> {
  readonly screen: Pick<CliContext['screen'], 'report' | 'writeLine' | 'write'>;
}

/** Runs `orion waiting`: shows what turns of the project wait for, or one request with its whole diff. */
export const runWaiting = async (
  {
    inputRequests,
    retry,
    screen,
    printsJson,
    config,
  }: InputRequestContext & { readonly config: Pick<CliContext['config'], 'projectId'> },
  { inputId }: CommandNamed<'waiting'>,
): Promise<ExitCode> => {
  const response =
    inputId === undefined
      ? await withRetries(retry, () => inputRequests.listOpen(config.projectId, PAGE_SIZE))
      : await withRetries(retry, () => inputRequests.find(inputId));
  const lines = 'input' in response ? detailLines(response.input) : listLines(response.inputs);
  if (printsJson) screen.write(jsonLine(response));
  else for (const line of lines) screen.writeLine(safeForTerminal(line));
  return EXIT.done;
};

/** Runs `orion reply`, which replies to a request and prints how the request was resolved. */
export const runReply = async (
  { inputRequests, retry, screen, printsJson }: InputRequestContext,
  { inputId, reply, note, content, ok, argumentsFile }: CommandNamed<'reply'>,
): Promise<ExitCode> => {
  const editedArguments = argumentsFile === undefined ? undefined : readArguments(argumentsFile);
  if (typeof editedArguments === 'string') {
    screen.report(`error: --arguments: ${editedArguments}`);
    return EXIT.usage;
  }
  const { input } = await withRetries(retry, () => inputRequests.find(inputId));
  const body: ReplyBody = {
    reply,
    ...(reply !== 'deny' && input.argsHash !== undefined && { argsHash: input.argsHash }),
    ...(editedArguments && { arguments: editedArguments }),
    ...(note !== undefined && { note }),
    ...(content !== undefined && { content }),
    ...(reply === 'result' && { ok }),
  };
  const response = await postReply({ inputRequests, retry }, inputId, body);
  if (printsJson) screen.write(jsonLine(response));
  else screen.report(`${inputId}: ${resolutionText(response.input)}`);
  return EXIT.done;
};

/** Returns the JSON object in a file, or a text that says why there is none. */
const readArguments = (path: string): NonNullable<ReplyBody['arguments']> | string => {
  try {
    const parsed = replyBodySchema.shape.arguments.safeParse(parseJson(readFileSync(path, 'utf8')));
    return parsed.data ?? `expected a file with a JSON object of at most 64 KiB, received ${path}`;
  } catch (error) {
    return errorMessage(error);
  }
};

const listLines = (inputs: readonly InputView[]): readonly string[] =>
  inputs.length === 0
    ? ['Nothing waits.']
    : inputs.map(
        ({ inputId, expiresAt, message }) =>
          `${inputId}  until ${shortTime(expiresAt)}  ${safeInLine(message)}`,
      );

const detailLines = (input: InputView): readonly string[] =>
  input.status === 'open'
    ? [...inputRequestLines(input), replyHint(input)]
    : [`? ${safeInLine(input.message)}`, `  ${resolutionText(input)}`];

const resolutionText = ({ resolution }: InputView): string =>
  resolution === null
    ? 'closed: its turn has ended'
    : `${resolution.reply} by ${resolution.by.name ?? resolution.by.kind}, ${shortTime(resolution.at)}`;
