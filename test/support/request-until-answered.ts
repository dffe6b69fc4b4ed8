import { setTimeout as delay } from 'node:timers/promises';
import type { ChatClient } from './chat-client.ts';

/** The answer that a client got in the end. */
export interface FinalAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** How long a request waits for its answer before it is sent again, because a killed gateway never answers. */
const SILENCE_MS = 10_000;
const PAUSE_MS = 100;

/**
 * Sends the same request again, as a client does whose answers are lost, until the gateway answers with a status below
 * 500. The request is a GET without `body`, otherwise a POST.
 */
export const requestUntilAnswered = async (
  chat: ChatClient,
  path: string,
  body?: object,
): Promise<FinalAnswer> => {
  for (;;) {
    const told = await ask(chat, path, body).catch(() => undefined);
    if (told && told.status < 500) return told;
    await delay(PAUSE_MS);
  }
};

const ask = async (chat: ChatClient, path: string, body: object | undefined): Promise<FinalAnswer> => {
  const response = await chat.request(path, {
    ...(body && {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    }),
    signal: AbortSignal.timeout(SILENCE_MS),
  });
  return { status: response.status, body: (await response.json()) as FinalAnswer['body'] };
};
