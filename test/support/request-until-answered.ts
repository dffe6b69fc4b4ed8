import { setTimeout as delay } from 'node:timers/promises';
import type { ChatClient } from './chat-client.ts';

/** The answer that a client got in the end. */
export interface FinalAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A gateway that was killed never answers: it is asked again after this silence. */
const SILENCE_MS = 10_000;
const PAUSE_MS = 100;

/** Sends a request until the gateway answers what became of it, as a client does whose answers are lost. */
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
