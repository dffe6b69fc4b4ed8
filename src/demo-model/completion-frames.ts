import { DEMO_MODEL } from '../config/settings/model-provider.ts';
import { CHARACTERS_PER_TOKEN } from '../contracts/model/model-message.ts';
import type { ChatRequest } from './chat-request.ts';
import { piecesOf } from './long-text.ts';
import type { DemoMove } from './next-move.ts';

const ARGUMENT_PIECE_CHARACTERS = 12;
/** Matches the pieces of a file. A piece has up to twenty lines, so 50 pieces a second are 1,000 lines a second. */
const FILE_PIECES = /(?:.*\n){1,20}|.+$/g;

type DemoFinishReason = 'stop' | 'tool_calls' | 'length';

interface DemoCompletion {
  /** The text, in the pieces in which it is streamed. */
  readonly pieces: readonly string[];
  readonly call: { readonly id: string; readonly name: string; readonly arguments: string } | undefined;
  readonly finish: DemoFinishReason;
  readonly usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
}

/**
 * Returns the move as a completion with estimated tokens. Prose is cut to the requested number of tokens, one piece
 * each. A file is never cut.
 */
export const completionOf = (move: DemoMove, request: ChatRequest): DemoCompletion => {
  const allPieces = move.isFile ? filePiecesOf(move.text) : piecesOf(move.text);
  const limit = move.isFile
    ? allPieces.length
    : (request.max_completion_tokens ?? request.max_tokens ?? allPieces.length);
  const pieces = allPieces.slice(0, limit);
  const isCut = pieces.length < allPieces.length;
  const call =
    isCut || !move.call
      ? undefined
      : {
          // Ids differ within a conversation, and the same prompt always gives the same id.
          id: `call_demo_${request.messages.length}`,
          name: move.call.name,
          arguments: JSON.stringify(move.call.arguments),
        };
  return {
    pieces,
    call,
    finish: isCut ? 'length' : call ? 'tool_calls' : 'stop',
    usage: usageOf(request, pieces.join('') + (call?.arguments ?? '')),
  };
};

/** Cuts a file into pieces of whole lines, because a file of thousands of lines must not take minutes. */
const filePiecesOf = (text: string): readonly string[] => text.match(FILE_PIECES) ?? [];

const usageOf = (request: ChatRequest, output: string): DemoCompletion['usage'] => {
  const prompt = request.messages.reduce((sum, { content }) => sum + content.length, 0);
  const prompt_tokens = Math.ceil(prompt / CHARACTERS_PER_TOKEN);
  const completion_tokens = Math.ceil(output.length / CHARACTERS_PER_TOKEN);
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
};

const HEAD = { id: 'chatcmpl-demo', created: 0, model: DEMO_MODEL };

/** Yields the frames of a streamed answer in order. Call arguments come in pieces, as from a real provider. */
export const framesOf = function* (
  { pieces, call, finish, usage }: DemoCompletion,
  includesUsage: boolean,
): Generator<object> {
  yield chunkOf({ role: 'assistant', content: '' });
  for (const content of pieces) yield chunkOf({ content });
  if (call) {
    const { id, name } = call;
    yield chunkOf({ tool_calls: [{ index: 0, id, type: 'function', function: { name, arguments: '' } }] });
    for (let at = 0; at < call.arguments.length; at += ARGUMENT_PIECE_CHARACTERS) {
      const piece = call.arguments.slice(at, at + ARGUMENT_PIECE_CHARACTERS);
      yield chunkOf({ tool_calls: [{ index: 0, function: { arguments: piece } }] });
    }
  }
  yield chunkOf({}, finish);
  if (includesUsage) yield { ...HEAD, object: 'chat.completion.chunk', choices: [], usage };
};

const chunkOf = (delta: object, finish: DemoFinishReason | null = null) => ({
  ...HEAD,
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta, finish_reason: finish }],
});

/** Returns an answer of the demo model in one JSON body, for a request without `stream`. */
export const wholeCompletion = ({ pieces, call, finish, usage }: DemoCompletion): object => {
  const content = pieces.join('');
  const tool_calls = call && [
    { id: call.id, type: 'function', function: { name: call.name, arguments: call.arguments } },
  ];
  return {
    ...HEAD,
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content, tool_calls }, finish_reason: finish }],
    usage,
  };
};
