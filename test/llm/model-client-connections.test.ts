import { describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import type { ModelClient } from '../../src/llm/model-client.ts';
import { answer } from '../support/fake-model/responses.ts';
import {
  callOf,
  clientOf,
  deltasOf,
  failureOf,
  request,
  textOf,
  useFakeModel,
} from './support/client-fixture.ts';
import { eventually } from '../support/eventually.ts';

const provider = useFakeModel();
const ANSWER = 'data: {"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';

/** Runs `work` with a client of a provider whose answers are written by hand. */
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

/**
 * Reports whether calls reuse connections. A connection is free only a little after its answer has ended, so that the
 * next call may miss it; not all of them do.
 */
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

  it('that died while they were kept are tried one after the other, then a new one, without a failure', async () => {
    const known = new Set<Socket>();
    let dead = 0;
    const listener: RequestListener = (message, response) => {
      // A second request on a connection that was kept open meets a reset instead of an answer.
      if (known.has(message.socket)) dead += message.socket.resetAndDestroy() ? 1 : 0;
      else response.writeHead(200, { 'content-type': 'text/event-stream' }).end(ANSWER);
      known.add(message.socket);
    };
    await withProvider(listener, async (client) => {
      await Promise.all([1, 2, 3, 4].map(() => deltasOf(client)));
      expect(textOf(await deltasOf(client))).toBe('ok');
      expect(dead).toBeGreaterThan(1);
    });
  });

  it('that are reset before any answer are a failure when they were new', async () => {
    let requests = 0;
    const listener: RequestListener = ({ socket }) => {
      requests += 1;
      socket.resetAndDestroy();
    };
    await withProvider(listener, async (client) => {
      const failure = await failureOf(client);
      expect(failure).toMatchObject({ code: 'model_unavailable', isRetryable: true });
      expect(requests).toBe(1);
    });
  });
});

/**
 * Starts a provider that writes raw bytes; `serve` gets the connection and the number of requests that have come on it.
 */
const withRawProvider = async (
  serve: (socket: Socket, requests: number) => void,
  run: (client: ModelClient) => Promise<void>,
): Promise<void> => {
  const open = new Set<Socket>();
  const server = createTcpServer((socket) => {
    open.add(socket);
    let requests = 0;
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => bytes.includes('POST ') && serve(socket, (requests += 1)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    await run(clientOf(provider.fake, { baseUrl: `http://127.0.0.1:${port}/v1`, idleTimeoutMs: 2_000 }));
  } finally {
    for (const socket of open) socket.destroy();
    server.close();
  }
};

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';
const chunked = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;

describe('bytes on the wire', () => {
  it('that bring a whole answer at once end with an abort at its first delta, and harm nobody', async () => {
    const text = 'data: {"choices":[{"delta":{"content":"word "}}]}\n\n'.repeat(50);
    await withRawProvider(
      (socket) => void socket.end(`${HEAD}${chunked(`${text}data: [DONE]\n\n`)}0\r\n\r\n`),
      async (client) => {
        for (let calls = 0; calls < 5; calls += 1) {
          const controller = new AbortController();
          const call = callOf(client, request, controller.signal, () => {
            controller.abort(new Error('enough'));
            return 'more';
          });
          await expect(call.ended).rejects.toThrow('enough');
          expect(call.deltas).toHaveLength(1);
        }
      },
    );
  });

  it('that follow the end marker in the same packet are not read', async () => {
    const body = `${ANSWER}data: {oops}\n\ndata: {"error":{"message":"late"}}\n\n`;
    await withRawProvider(
      (socket) => void socket.end(`${HEAD}${chunked(body)}0\r\n\r\n`),
      async (client) => expect(textOf(await deltasOf(client))).toBe('ok'),
    );
  });

  it('that end an answer after its marker leave a connection for the next call', async () => {
    const connections = new Set<Socket>();
    let answering: Socket | undefined;
    const serve = (socket: Socket): void => {
      connections.add(socket);
      answering = socket;
      socket.write(HEAD + chunked(ANSWER));
    };
    await withRawProvider(serve, async (client) => {
      let calls = 0;
      await eventually('a call over a connection of an earlier one', async () => {
        expect(textOf(await deltasOf(client))).toBe('ok');
        answering?.write('0\r\n\r\n');
        calls += 1;
        return connections.size < calls;
      });
    });
  });

  it('that switch to another protocol are a failure', async () => {
    await withRawProvider(
      (socket) => void socket.write('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
      async (client) => {
        const failure = await failureOf(client);
        expect(failure).toMatchObject({ code: 'model_unavailable', isRetryable: true });
        expect(failure.message).toContain('closed without an answer');
      },
    );
  });

  it('that begin an answer on a kept connection and end there are a failure, without a retry', async () => {
    let requests = 0;
    const serve = (socket: Socket, onThis: number): void => {
      requests += 1;
      if (onThis === 1) socket.write(`${HEAD}${chunked(ANSWER)}0\r\n\r\n`);
      else socket.end('HTTP/1.1 102 Processing\r\n\r\n');
    };
    await withRawProvider(serve, async (client) => {
      await deltasOf(client);
      expect(await failureOf(client)).toMatchObject({ code: 'model_unavailable' });
      expect(requests).toBe(2);
    });
  });
});

describe('a refusal', () => {
  it('that has no end is read only in part', async () => {
    let sent = 0;
    const listener: RequestListener = (_message, response) => {
      response.writeHead(400, { 'content-type': 'text/plain' });
      const flood = setInterval(() => (sent += Number(response.write('x'.repeat(16 * 1024)))), 1);
      response.once('close', () => clearInterval(flood));
    };
    await withProvider(listener, async (client) => {
      const failure = await failureOf(client);
      expect(failure).toMatchObject({ code: 'model_bad_request', isRetryable: false });
      expect(sent).toBeLessThan(100);
    });
  });

  it('whose text does not come keeps its status', async () => {
    const listener: RequestListener = (_message, response) => {
      response.writeHead(401, { 'content-length': '100' }).write('{"error":');
    };
    await withProvider(listener, async (client) => {
      expect(await failureOf(client)).toMatchObject({ code: 'model_auth', isRetryable: false });
    });
  });

  it.each([
    [304, 'model_bad_request'],
    [600, 'model_unavailable'],
  ])('with the strange status %d names it', async (status, code) => {
    const listener: RequestListener = (_message, response) => void response.writeHead(status).end();
    await withProvider(listener, async (client) => {
      const failure = await failureOf(client);
      expect(failure.code).toBe(code);
      expect(failure.message).toContain(String(status));
    });
  });
});

describe('an unusable answer', () => {
  it('is a redirect, since the key goes only to the configured address', async () => {
    const listener: RequestListener = (_message, response) => {
      response.writeHead(308, { location: 'https://elsewhere.example/v1/chat/completions' }).end();
    };
    await withProvider(listener, async (client) => {
      const failure = await failureOf(client);
      expect(failure).toMatchObject({ code: 'model_bad_request', isRetryable: false });
      expect(failure.message).toContain('308');
      expect(failure.message).toContain('redirect');
    });
  });

  it('is compressed, although nobody asked for that', async () => {
    const asked: (string | string[] | undefined)[] = [];
    const listener: RequestListener = (message, response) => {
      asked.push(message.headers['accept-encoding']);
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' }).end('x');
    };
    await withProvider(listener, async (client) => {
      const failure = await failureOf(client);
      expect(asked).toEqual(['identity']);
      expect(failure).toMatchObject({ code: 'model_bad_request', isRetryable: false });
      expect(failure.message).toContain('gzip');
    });
  });
});
