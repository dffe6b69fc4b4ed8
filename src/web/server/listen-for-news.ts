/*
 * Listens to the gateway, which reports when the waiting requests have changed (docs/http-api.md `GET
 * /api/inputs/news`).
 */
import { createParser } from 'eventsource-parser';
import { inputNewsFrameSchema } from '../../contracts/http/input-api.ts';
import { STREAM_SILENCE_MS } from '../../contracts/wire/sse-pace.ts';
import { abortAfter } from './abort-after.ts';

/** Milliseconds: the first frame comes as soon as the gateway itself listens. */
const FIRST_WITHIN_MS = 20_000;

/**
 * Calls `onNews` at once, and whenever the list of waiting requests may have changed. Resolves when nothing more is
 * heard, with whether anything was.
 */
export const listenForInputNews = async (signal: AbortSignal, onNews: () => void): Promise<boolean> => {
  let isHeard = false;
  const first = abortAfter(FIRST_WITHIN_MS);
  const silence = abortAfter(STREAM_SILENCE_MS);
  const parser = createParser({
    onEvent: ({ data }) => {
      if (!isNews(data)) return;
      isHeard = true;
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
    // The connection was cut, silent, or left.
  } finally {
    first.end();
    silence.end();
  }
  return isHeard;
};

const isNews = (data: string): boolean => {
  try {
    return inputNewsFrameSchema.safeParse(JSON.parse(data)).success;
  } catch {
    return false;
  }
};
