import { safeInLine } from '../../base/text/safe-for-terminal.ts';
import { errorMessage } from '../../contracts/values/error-message.ts';
import { parseJson } from '../../contracts/values/parse-json.ts';
import type { AcceptedInputKind, InputRequested } from '../../contracts/wire/input-events.ts';
import { parseChoices } from '../../contracts/inputs/question-choices.ts';
import { replyBodySchema, type ReplyBody } from '../../contracts/inputs/reply.ts';
import type { CliContext } from '../command-context/cli-context.ts';
import {
  type CreateResponder,
  createAutoResponder,
  sendReply,
  type InputRequestResponder,
  type AutoReply,
} from '../turn/input-request-responder.ts';
import { replyHint } from '../turn/input-request-lines.ts';
import type { ReplyPrompt, TypedReply } from '../prompt-line/typed-line.ts';
import { replyKeysFor, replyLabels, replyMeantBy } from './reply-keys.ts';

/** The prompt in which a person types the reply to a request. It is opened for each request. */
export interface ReplySource {
  readReply(line: ReplyPrompt): Promise<TypedReply>;
  close(): void;
}

interface TerminalResponderDeps {
  readonly context: Pick<CliContext, 'inputRequests' | 'retry' | 'screen'>;
  readonly openSource: () => ReplySource;
  /** Stops watching the turn, which keeps waiting. */
  readonly leave: () => void;
}

/** The kinds of requests, besides approvals, that a person at a terminal is asked. */
export const TERMINAL_INPUT_KINDS: readonly AcceptedInputKind[] = ['question', 'limit'];

/**
 * Creates responders that ask the person at this terminal. If `autoReply` is given, it is the reply to approvals, and
 * the person is asked only about other requests.
 */
export const createTerminalResponder =
  (
    context: TerminalResponderDeps['context'],
    autoReply: AutoReply | undefined,
    openSource: () => ReplySource,
  ): CreateResponder =>
  (leave) => {
    const person = new TerminalResponder({ context, openSource, leave });
    return autoReply === undefined ? person : createAutoResponder(context, autoReply, person);
  };

/** Largest number of characters of arguments that are edited in the prompt. Longer arguments are edited in a file. */
const MAX_EDITABLE_CHARACTERS = 8_000;

/**
 * A person's decision. `again` asks once more, `left` leaves the request open, and `withdrawn` means that no reply is
 * needed any longer.
 */
type Decision = ReplyBody | 'again' | 'left' | 'withdrawn';

/** Asks the person at this terminal what the turn asks, until somebody has replied (docs/cli.md "Requests"). */
class TerminalResponder implements InputRequestResponder {
  readonly #deps: TerminalResponderDeps;
  #open: AbortController | undefined;

  constructor(deps: TerminalResponderDeps) {
    this.#deps = deps;
  }

  open(request: InputRequested): void {
    this.close();
    const open = new AbortController();
    this.#open = open;
    void this.#reply(request, open.signal);
  }

  close(): void {
    this.#open?.abort();
    this.#open = undefined;
  }

  async #reply(request: InputRequested, signal: AbortSignal): Promise<void> {
    const { context, openSource, leave } = this.#deps;
    const source = openSource();
    try {
      while (!signal.aborted) {
        const decision = await this.#decide(request, source, signal);
        if (decision === 'withdrawn') return;
        if (decision === 'again') continue;
        if (decision === 'left') {
          context.screen.report(replyHint(request));
          return leave();
        }
        const attempt = await sendReply(context, request.inputId, decision);
        if (attempt.kind !== 'accepted') context.screen.report(attempt.problem);
        if (attempt.kind !== 'open') return;
      }
    } catch (error) {
      // The request may still be open, and a person can reply at another terminal.
      context.screen.report(`${errorMessage(error)}\n${replyHint(request)}`);
    } finally {
      source.close();
    }
  }

  async #decide(request: InputRequested, source: ReplySource, signal: AbortSignal): Promise<Decision> {
    if (request.kind === 'question') return readQuestionReply(request, source, signal);
    const { argsHash, options } = request;
    const typed = await source.readReply({
      prompt: `${replyLabels(options)} · Ctrl-D later > `,
      keys: replyKeysFor(options),
      signal,
    });
    if (typed === 'eof') return 'left';
    if (typed === 'withdrawn') return typed;
    if (typed === 'interrupted' || typed === 'cleared') return 'again';
    const reply = replyMeantBy(typed, options);
    // The gateway accepts an approval only with the hash of the arguments that it approves.
    const shownVersion = argsHash === undefined ? {} : { argsHash };
    switch (reply) {
      case undefined:
        return 'again';
      case 'edit':
        return this.#edit(request, source, signal);
      case 'deny':
        return typed === 'escaped' ? { reply } : readNote(source, signal);
      case 'allow':
      case 'allow_turn':
        return { reply, ...shownVersion };
      default:
        return { reply };
    }
  }

  async #edit(
    { inputId, argsHash, arguments: shown, truncated }: InputRequested,
    source: ReplySource,
    signal: AbortSignal,
  ): Promise<Decision> {
    const { inputRequests, screen } = this.#deps.context;
    const wholeArguments = truncated === true ? (await inputRequests.find(inputId)).input.arguments : shown;
    let text = JSON.stringify(parseJson(wholeArguments ?? '') ?? {});
    if (text.length > MAX_EDITABLE_CHARACTERS) {
      screen.report(`Too long to be edited here: orion reply ${inputId} edit --arguments <file>`);
      return 'again';
    }
    for (;;) {
      const typed = await source.readReply({ prompt: 'arguments > ', text, signal });
      if (typed === 'withdrawn') return typed;
      if (typeof typed !== 'object') return 'again';
      const edited = replyBodySchema.shape.arguments.safeParse(parseJson(typed.line));
      if (edited.success && edited.data) {
        return { reply: 'edit', arguments: edited.data, ...(argsHash !== undefined && { argsHash }) };
      }
      screen.report(
        `expected a JSON object of at most 64 KiB, received ${safeInLine(typed.line.slice(0, 80))}`,
      );
      text = typed.line;
    }
  }
}

const readNote = async (source: ReplySource, signal: AbortSignal): Promise<Decision> => {
  const typed = await source.readReply({ prompt: 'why, for the model (Enter: no note) > ', signal });
  if (typed === 'withdrawn') return typed;
  if (typeof typed !== 'object') return 'again';
  const note = typed.line.trim();
  return { reply: 'deny', ...(note !== '' && { note }) };
};

const readQuestionReply = async (
  request: InputRequested,
  source: ReplySource,
  signal: AbortSignal,
): Promise<Decision> => {
  const { options, allowsMultiple } = parseChoices(request.arguments);
  const numbers = options.length === 0 ? '' : `1-${options.length} or `;
  const prompt = `${numbers}your answer (Esc declines, Ctrl-D later) > `;
  const typed = await source.readReply({ prompt, signal });
  if (typed === 'eof') return 'left';
  if (typed === 'withdrawn') return typed;
  if (typed === 'escaped') return { reply: 'deny' };
  if (typeof typed !== 'object' || typed.line.trim() === '') return 'again';
  return { reply: 'answer', content: answerOfLine(typed.line, options, allowsMultiple) };
};

/**
 * Returns the answer that a line means. Numbers mean options, and more than one may be typed if the question allows
 * that. Anything else is an answer in words.
 */
const answerOfLine = (line: string, options: readonly string[], allowsMultiple: boolean): string => {
  const numbers = /^[1-9](?:[\s,]+[1-9])*$/.test(line.trim()) ? line.trim().split(/[\s,]+/) : [];
  const chosen = numbers.map((number) => options[Number(number) - 1]);
  const isChoice =
    chosen.length > 0 && !chosen.includes(undefined) && (allowsMultiple || chosen.length === 1);
  return isChoice ? chosen.join(', ') : line;
};
