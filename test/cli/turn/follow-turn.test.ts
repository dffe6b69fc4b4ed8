/** Tests the streaming client against real HTTP: connections break, gateways go away and come back. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGatewayClient } from '../../../src/cli/http/gateway-client.ts';
import { GatewayRefusedError, GatewayUnreachableError } from '../../../src/cli/http/gateway-failures.ts';
import { createTurnClient } from '../../../src/cli/http/turn-client.ts';
import { followTurn, type TurnFrame } from '../../../src/cli/turn/follow-turn.ts';

type Serve = (res: ServerResponse, lastId: string | undefined, req: IncomingMessage) => void;

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

const listen = async (serve: Serve, port = 0): Promise<number> => {
  server = createServer((req, res) => serve(res, req.headers['last-event-id']?.toString(), req));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};

it('a refusal that breaks off is no answer, and can be asked for again', async () => {
  const port = await listen((res) => {
    res.writeHead(503, { 'Content-Type': 'application/json', 'Content-Length': '100' });
    res.write('{"error":"', () => res.destroy());
  });
  const gateway = createGatewayClient({ url: `http://127.0.0.1:${port}`, apiKey: undefined });
  await expect(gateway.request('/api/info')).rejects.toThrow(GatewayUnreachableError);
});

const TOTAL = 6;
const DONE = {
  type: 'done',
  fullContent: '',
  status: 'completed',
  reason: 'answered',
  usage: { promptTokens: 1, completionTokens: 1 },
};

/** Returns the frames after an id, as the gateway writes them. */
const framesAfter = (lastId: string | undefined, count = TOTAL): string => {
  const from = lastId === undefined ? 1 : Number(lastId.split('-')[1]) + 1;
  return Array.from({ length: Math.max(0, Math.min(count, TOTAL - from + 1)) }, (_, i) => {
    const seq = from + i;
    const event = seq === TOTAL ? DONE : { type: 'chunk', content: `c${seq} ` };
    return `id: 101-${seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
  }).join('');
};

const open = (res: ServerResponse): ServerResponse =>
  res.writeHead(200, { 'Content-Type': 'text/event-stream' });

interface FollowOptions {
  readonly apiKey?: string;
  readonly signal?: AbortSignal;
  readonly onFrame?: (clock: { now: number }) => void;
  /** Called once the client has noted that a connection was accepted. */
  readonly onConnection?: (clock: { now: number }) => void;
}

const follow = async (
  port: number,
  { apiKey, signal = new AbortController().signal, onFrame, onConnection }: FollowOptions = {},
) => {
  const clock = { now: 0 };
  const frames: TurnFrame[] = [];
  const interruptions: string[] = [];
  const away: { at: number; reason: string }[] = [];
  const turns = createTurnClient(createGatewayClient({ url: `http://127.0.0.1:${port}`, apiKey }));
  const openEvents: typeof turns.openEvents = async (...args) => {
    const response = await turns.openEvents(...args);
    setImmediate(() => onConnection?.(clock));
    return response;
  };
  const deps = {
    turns: { openEvents },
    // A second of waiting takes a millisecond, and the clock moves on by the whole second.
    sleep: (ms: number) => {
      clock.now += ms;
      return new Promise<void>((resolve) => setTimeout(resolve, ms / 1000));
    },
    now: () => clock.now,
    onInterruption: (reason: string) => interruptions.push(reason),
    onOutage: (reason: string) => away.push({ at: clock.now, reason }),
    signal,
  };
  for await (const part of followTurn(deps, 't')) {
    if (!('id' in part)) continue;
    frames.push(part);
    onFrame?.(clock);
  }
  return { ids: frames.map(({ id }) => id), interruptions, away, waited: clock.now };
};

const ALL = Array.from({ length: TOTAL }, (_, i) => `101-${i + 1}`);

describe('a turn that is followed', () => {
  it('comes whole, with a key if there is one', async () => {
    let authorization: string | undefined;
    const port = await listen((res, lastId, req) => {
      authorization = req.headers.authorization;
      open(res).end(framesAfter(lastId));
    });
    expect((await follow(port, { apiKey: 'secret' })).ids).toEqual(ALL);
    expect(authorization).toBe('Bearer secret');
  });

  it('loses and doubles nothing when every connection breaks after an event', async () => {
    const port = await listen((res, lastId) => {
      open(res).write(`${framesAfter(lastId, 1)}id: 101-99\ndata: {"type":"chu`, () => res.destroy());
    });
    expect((await follow(port)).ids).toEqual(ALL);
  });

  it('goes on after answers that say the gateway is not ready', async () => {
    let asked = 0;
    const port = await listen((res, lastId) => {
      asked += 1;
      if (asked % 2 === 0) {
        open(res).end(framesAfter(lastId, 2));
      } else {
        res.writeHead(503).end(JSON.stringify({ error: 'x', code: 'database_unavailable', requestId: 'r' }));
      }
    });
    expect((await follow(port)).ids).toEqual(ALL);
  });

  it('ends at a 204, and leaves out events of a kind that it does not know', async () => {
    const port = await listen((res, lastId) => {
      if (lastId !== undefined) res.writeHead(204).end();
      else open(res).end(`id: 101-1\ndata: {"type":"news"}\n\n${framesAfter(undefined, 2)}`);
    });
    expect((await follow(port)).ids).toEqual(['101-1', '101-2']);
  });

  it('says once that the gateway is away when it stays away, and goes on when it is back', async () => {
    let asked = 0;
    const port = await listen((res, lastId) => {
      asked += 1;
      if (asked === 1) open(res).end(framesAfter(lastId, 2));
      else if (asked < 12) res.destroy();
      else open(res).end(framesAfter(lastId));
    });
    const { ids, away } = await follow(port);
    expect(ids).toEqual(ALL);
    expect(away).toHaveLength(1);
    expect(away[0]?.reason).toContain('No answer from');
    expect(away[0]?.at).toBeLessThan(5_000);
  });

  it('says nothing of a gateway that is soon back', async () => {
    let asked = 0;
    const port = await listen((res, lastId) => {
      asked += 1;
      if (asked % 4 === 0) open(res).end(framesAfter(lastId, 1));
      else res.destroy();
    });
    const { ids, away } = await follow(port);
    expect(ids).toEqual(ALL);
    expect(away).toEqual([]);
  });

  it('gives up on a turn that does not exist, at once', async () => {
    const port = await listen((res) => {
      res
        .writeHead(404)
        .end(JSON.stringify({ error: 'No such turn.', code: 'turn_not_found', requestId: 'r' }));
    });
    await expect(follow(port)).rejects.toThrow(GatewayRefusedError);
  });

  it('gives up on a gateway that stays away for a minute', async () => {
    const port = await listen(() => undefined);
    server?.close();
    server?.closeAllConnections();
    await expect(follow(port)).rejects.toThrow(GatewayUnreachableError);
  });

  it('gives up on a gateway that for a minute ends every connection at once, without an event', async () => {
    const port = await listen((res) => void open(res).end(': accepted\n\n'));
    await expect(follow(port)).rejects.toThrow('the stream ended before its turn');
  });

  it('gives up on a gateway whose connections bring nothing', async () => {
    let silent: ServerResponse | undefined;
    const port = await listen((res) => {
      silent = open(res);
      silent.flushHeaders();
    });
    const onConnection = (clock: { now: number }): void => {
      clock.now += 45_000;
      silent?.destroy();
    };
    await expect(follow(port, { onConnection })).rejects.toThrow(GatewayUnreachableError);
  });

  it('survives many cuts far apart while its turn waits and has nothing to deliver', async () => {
    let waiting: ServerResponse | undefined;
    let connections = 0;
    const port = await listen((res, lastId) => {
      connections += 1;
      if (connections % 5 === 1) {
        open(res).end(framesAfter(lastId, 3));
        return;
      }
      waiting = res;
      open(res).write(': accepted\n\n');
    });
    const onConnection = (clock: { now: number }): void => {
      clock.now += 120_000;
      waiting?.end(': heartbeat\n\n');
      waiting = undefined;
    };
    const { ids, away } = await follow(port, { onConnection });
    expect([ids, connections, away]).toEqual([ALL, 6, []]);
  });

  it('survives a cut after it was silent for longer than a gateway may stay away', async () => {
    const received = Promise.withResolvers<void>();
    const port = await listen((res, lastId) => {
      const isFirst = lastId === undefined;
      open(res).write(framesAfter(lastId, isFirst ? 1 : TOTAL));
      if (isFirst) void received.promise.then(() => res.destroy());
      else res.end();
    });
    const { ids, interruptions } = await follow(port, {
      onFrame: (clock) => {
        clock.now += 120_000;
        received.resolve();
      },
    });
    expect([ids, interruptions.length]).toEqual([ALL, 1]);
  });

  it('ends with its reader', async () => {
    const abort = new AbortController();
    const port = await listen((res, lastId) => {
      open(res).write(framesAfter(lastId, 1));
      abort.abort(new Error('left'));
    });
    await expect(follow(port, { signal: abort.signal })).rejects.toThrow('left');
  });
});
