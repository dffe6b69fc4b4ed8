import { describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { ModelClient } from '../../src/llm/model-client.ts';
import { answer } from '../support/fake-model/responses.ts';
import { callOf, clientOf, deltasOf, failureOf, request, textOf, useFakeModel } from './client-fixture.ts';

const provider = useFakeModel();
const ANSWER = 'data: {"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';

/** Runs with a client of a provider whose answers are written by hand. */
const withProvider = async (
  listener: RequestListener,
  run: (client: ModelClient) => Promise<void>,
): Promise<void> => {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    await run(clientOf(provider.fake, { baseUrl: `http://127.0.0.1:${port}/v1` }));
  } finally {
    server.closeAllConnections();
    server.close();
  }
};

/** A connection is free a little after its answer has ended, so that the next call may miss it; not every one does. */
const isReused = async (client: ModelClient): Promise<boolean> => {
  const ports = new Set<number | undefined>();
  for (let calls = 0; calls === ports.size && calls < 10; calls += 1) {
    provider.fake.script(answer('ok'));
    await deltasOf(client);
    const served = provider.fake.requests.at(-1);
    await served?.closed;
    if (ports.has(served?.clientPort)) return true;
    ports.add(served?.clientPort);
  }
  return false;
};

describe('connections', () => {
  it('serve the next call after a whole answer', async () => {
    expect(await isReused(clientOf(provider.fake))).toBe(true);
  });

  it('are closed by a reader that leaves, and serve the calls after it again', async () => {
    const client = clientOf(provider.fake);
    provider.fake.script({ steps: [{ text: 'a' }, { stall: true }] });
    await callOf(client, request, undefined, () => 'enough').ended;
    expect(await (await provider.fake.nextRequest()).closed).toBe('left');
    expect(await isReused(client)).toBe(true);
  });

  it('that the provider closed while the next request was written cost one repetition, no failure', async () => {
    const asked: Socket[] = [];
    const listener: RequestListener = (message, response) => {
      asked.push(message.socket);
      // The second request on a kept connection meets a reset instead of an answer.
      if (asked.length === 2) message.socket.resetAndDestroy();
      else response.writeHead(200, { 'content-type': 'text/event-stream' }).end(ANSWER);
    };
    await withProvider(listener, async (client) => {
      expect(textOf(await deltasOf(client))).toBe('ok');
      expect(textOf(await deltasOf(client))).toBe('ok');
      expect(asked).toHaveLength(3);
      expect(asked[1]).toBe(asked[0]);
    });
  });

  it('that are reset before any answer are a failure when they were new', async () => {
    await withProvider(
      ({ socket }) => socket.resetAndDestroy(),
      async (client) => {
        const failure = await failureOf(client);
        expect(failure).toMatchObject({ code: 'model_unavailable', retryable: true });
      },
    );
  });
});

describe('an answer that is none', () => {
  it('is a redirect: the key goes to the configured address alone', async () => {
    const listener: RequestListener = (_message, response) => {
      response.writeHead(308, { location: 'https://elsewhere.example/v1/chat/completions' }).end();
    };
    await withProvider(listener, async (client) => {
      const failure = await failureOf(client);
      expect(failure).toMatchObject({ code: 'model_bad_request', retryable: false });
      expect(failure.message).toContain('308');
    });
  });

  it('is compressed, though nobody asked for that', async () => {
    const listener: RequestListener = (message, response) => {
      expect(message.headers['accept-encoding']).toBeUndefined();
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' }).end('x');
    };
    await withProvider(listener, async (client) => {
      const failure = await failureOf(client);
      expect(failure).toMatchObject({ code: 'model_bad_request', retryable: false });
      expect(failure.message).toContain('gzip');
    });
  });
});
