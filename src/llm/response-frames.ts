import { createParser } from 'eventsource-parser';
import type { CallGuard } from './call-guard.ts';
import { ModelFailure, unavailable } from './model-failure.ts';
import { rootMessage } from './root-message.ts';

/** Longest frame that is held in memory, in characters; real ones have some hundred. */
const MAX_FRAME = 8 * 1024 * 1024;

/** Data of the frame that ends a stream of chat completions. */
export const DONE = '[DONE]';

/** The data of the frames that came next; undefined once the body has ended. */
export type FrameSource = () => Promise<readonly string[] | undefined>;

/**
 * The frames of a model's response: server-sent events, or a whole JSON body (from a provider that ignored
 * `stream: true`), which counts as one frame and `[DONE]`.
 * Throws `ModelFailure`: retryable when the connection breaks or a frame is too long, final for a web page.
 */
export function openFrames(response: Response, guard: CallGuard): FrameSource {
  const type = response.headers.get('content-type')?.toLowerCase() ?? '';
  // A login page or a wrong address; as a stream it would read as one that was cut, and be tried again.
  if (type.startsWith('text/html')) throw notAnApi();
  const next = textSource(response.body, guard);
  return type.startsWith('application/json') ? wholeBody(next) : eventData(next);
}

const notAnApi = () =>
  new ModelFailure(
    'model_bad_request',
    'The configured model address answered with a web page instead of a chat completion.',
    { retryable: false },
  );

type TextSource = () => Promise<string | undefined>;

function eventData(next: TextSource): FrameSource {
  const ready: string[] = [];
  const parser = createParser({
    maxBufferSize: MAX_FRAME,
    onEvent: ({ data }) => ready.push(data),
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') throw frameTooLong();
    },
  });
  let ended = false;
  return async () => {
    if (ended) return undefined;
    const piece = await next();
    ended = piece === undefined;
    // Some servers leave out the blank line after the last frame.
    parser.feed(piece ?? '\n\n');
    return ready.splice(0);
  };
}

function wholeBody(next: TextSource): FrameSource {
  let ended = false;
  return async () => {
    if (ended) return undefined;
    ended = true;
    let body = '';
    for (let piece = await next(); piece !== undefined; piece = await next()) {
      body += piece;
      if (body.length > MAX_FRAME) throw frameTooLong();
    }
    return [body, DONE];
  };
}

const frameTooLong = () =>
  unavailable(`The model provider sent a frame of more than ${MAX_FRAME / 1024 / 1024} MiB.`);

function textSource(body: Response['body'], guard: CallGuard): TextSource {
  // Typed by fetch as a stream of anything.
  const reader = (body as ReadableStream<Uint8Array> | null)?.getReader();
  const decoder = new TextDecoder();
  return async () => {
    if (!reader) return undefined;
    guard.startWaiting();
    try {
      const { done, value } = await reader.read();
      // A decoder that is flushed at the end turns half a character into U+FFFD; such a stream was cut anyway.
      return done ? undefined : decoder.decode(value, { stream: true });
    } catch (error) {
      throw broken(error);
    } finally {
      guard.stopWaiting();
    }
  };
}

const broken = (error: unknown): ModelFailure =>
  unavailable(`The connection to the model provider broke in mid-answer: ${rootMessage(error)}.`);
