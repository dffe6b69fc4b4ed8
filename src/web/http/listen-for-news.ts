/* Listens to the gateway for changes of the waiting requests (docs/http-api.md `GET /api/inputs/news`). */
import { createParser } from 'eventsource-parser';
import { inputNewsFrameSchema } from '../../contracts/http/input-api.ts';
import { parseJson } from '../../contracts/values/parse-json.ts';
import { STREAM_SILENCE_MS } from '../../contracts/wire/sse-pace.ts';
import { abortAfter } from './abort-after.ts';

/** Milliseconds within which the first frame must come. The gateway sends it as soon as it hears of changes itself. */
const FIRST_WITHIN_MS = 20_000;

/**
 * Calls `onNews` once the gateway listens, and whenever the list of waiting requests may have changed. Resolves to
 * whether there was any news, once the stream has ended, could not be opened or was silent for too long, or `signal`
 * has aborted. Never rejects.
 */
export const listenForInputNews = async (signal: AbortSignal, onNews: () => void): Promise<boolean> => {
  let hasHeardNews = false;
  const first = abortAfter(FIRST_WITHIN_MS);
  const silence = abortAfter(STREAM_SILENCE_MS);
  const parser = createParser({
    onEvent: ({ data }) => {
      if (!inputNewsFrameSchema.safeParse(parseJson(data)).success) return;
      hasHeardNews = true;
      first.end();
      onNews();
    },
  });
  try {
    const signals = AbortSignal.any([signal, first.signal, silence.signal]);
    const response = await fetch('/api/inputs/news', { signal: signals });
    if (!response.ok || !response.body) return false;
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      silence.restart();
      parser.feed(part.value);
    }
  } catch {
    // The connection could not be opened, was cut or was silent, or `signal` has aborted.
  } finally {
    first.end();
    silence.end();
  }
  return hasHeardNews;
};
