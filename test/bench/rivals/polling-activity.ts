import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { createParser } from 'eventsource-parser';
import { INTERVAL_MS } from './polling-settings.ts';

interface CompletionChunk {
  readonly choices: readonly { readonly delta?: { readonly content?: string | null } }[];
}

/** Streams the model's answer and signals it, in batches of 100 ms, to the workflow that asked. */
export const streamModel =
  (client: Client, modelUrl: string) =>
  async (content: string): Promise<void> => {
    const context = Context.current();
    const workflow = client.workflow.getHandle(context.info.workflowExecution?.workflowId ?? '');
    let said = '';
    let sending = Promise.resolve();
    const flush = (): void => {
      context.heartbeat();
      const batch = said;
      said = '';
      if (batch !== '') sending = sending.then(() => workflow.signal('append', batch));
    };
    const timer = setInterval(flush, INTERVAL_MS);
    try {
      for await (const piece of completion(modelUrl, content)) said += piece;
    } finally {
      clearInterval(timer);
    }
    flush();
    await sending;
  };

const completion = async function* (modelUrl: string, content: string): AsyncGenerator<string> {
  const body = JSON.stringify({ model: 'fake', stream: true, messages: [{ role: 'user', content }] });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(modelUrl, { method: 'POST', headers, body });
  const pieces: string[] = [];
  const parser = createParser({
    onEvent: ({ data }) => {
      if (data === '[DONE]') return;
      pieces.push((JSON.parse(data) as CompletionChunk).choices[0]?.delta?.content ?? '');
    },
  });
  for await (const text of (response.body as ReadableStream<Uint8Array>).pipeThrough(
    new TextDecoderStream(),
  )) {
    parser.feed(text);
    yield* pieces.splice(0);
  }
};
