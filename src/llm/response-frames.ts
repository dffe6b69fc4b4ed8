import { createParser } from 'eventsource-parser';
import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream';
import { ModelFailure, unavailable, rootMessage } from './model-failure.ts';
import { bodyOf } from './provider-fetch.ts';

/** Longest frame that is held in memory, in characters; real ones have some hundred. */
const MAX_FRAME = 8 * 1024 * 1024;

/** Others are no encodings, such as the `none` by which some servers switch compression off. */
const COMPRESSED = /\b(?:gzip|deflate|br|zstd|compress)\b/i;

/** Data of the frame that ends a stream of chat completions. */
export const DONE = '[DONE]';

/** Takes the data of one frame and says whether the next is wanted; after `enough` it is not called again. */
export type TakeFrame = (data: string) => 'more' | 'enough';

export interface FrameHandlers {
  /** Bytes have come, whatever they say; also after the last wanted frame. */
  heard(): void;
  frame: TakeFrame;
}

/**
 * Gives the frames of a model's response as they come: server-sent events, or a whole JSON body (from a provider
 * that ignored `stream: true`), which counts as one frame and `[DONE]`. Resolves once a frame was `enough` and at
 * the end of the body, then with what broke it, if anything did. What is left of the body is dropped as it comes.
 * Rejects with `ModelFailure` for what is no stream at all, and with whatever a handler throws.
 */
export const readFrames = async (
  response: Response,
  { heard, frame }: FrameHandlers,
): Promise<ModelFailure | undefined> => {
  const type = response.headers.get('content-type')?.toLowerCase() ?? '';
  // A login page or a wrong address; as a stream it would read as one that was cut, and be tried again.
  if (type.startsWith('text/html')) throw notAnApi('a web page instead of a chat completion');
  const encoding = response.headers.get('content-encoding') ?? '';
  if (COMPRESSED.test(encoding)) throw notAnApi(`the encoding ${encoding}, which was not asked for`);
  const sink = type.startsWith('application/json') ? wholeBody(frame) : eventData(frame);
  return drain(bodyOf(response), sink, heard);
};

/** Feeds the sink until it has enough or the body ends; resolves with what broke it. */
const drain = (body: IncomingMessage, sink: TextSink, heard: () => void): Promise<ModelFailure | undefined> =>
  new Promise((resolve, reject) => {
    const decoder = new TextDecoder();
    let wanted = true;
    const feed = (bytes: Buffer): void => {
      heard();
      if (!wanted) return;
      // A decoder that is flushed at the end turns half a character into U+FFFD; such a stream was cut anyway.
      const state = sink.feed(decoder.decode(bytes, { stream: true }));
      wanted = state === 'more';
      if (!wanted) resolve(state === 'too long' ? frameTooLong() : undefined);
    };
    const end = (error: unknown): void => {
      if (!wanted) return;
      if (!error) sink.end();
      resolve(error ? broken(error) : undefined);
    };
    const orReject = (run: () => void): void => {
      try {
        run();
      } catch (error) {
        wanted = false;
        reject(error);
      }
    };
    body.on('data', (bytes: Buffer) => orReject(() => feed(bytes)));
    finished(body, (error) => orReject(() => end(error)));
  });

type SinkState = 'more' | 'enough' | 'too long';

interface TextSink {
  feed(text: string): SinkState;
  /** The body has ended. */
  end(): void;
}

const eventData = (take: TakeFrame): TextSink => {
  let state: SinkState = 'more';
  const parser = createParser({
    maxBufferSize: MAX_FRAME,
    onEvent: ({ data }) => {
      if (state === 'more') state = take(data);
    },
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') state = 'too long';
    },
  });
  return {
    feed: (text) => {
      parser.feed(text);
      return state;
    },
    // Some servers leave out the blank line after the last frame.
    end: () => parser.feed('\n\n'),
  };
};

const wholeBody = (take: TakeFrame): TextSink => {
  let body = '';
  return {
    feed: (text) => {
      body += text;
      return body.length > MAX_FRAME ? 'too long' : 'more';
    },
    end: () => {
      if (take(body) === 'more') take(DONE);
    },
  };
};

const notAnApi = (what: string): ModelFailure =>
  new ModelFailure('model_bad_request', `The configured model address answered with ${what}.`, {
    retryable: false,
  });

const frameTooLong = (): ModelFailure =>
  unavailable(`The model provider sent a frame of more than ${MAX_FRAME / 1024 / 1024} MiB.`);

const broken = (error: unknown): ModelFailure =>
  unavailable(`The connection to the model provider broke in mid-answer: ${rootMessage(error)}.`);
