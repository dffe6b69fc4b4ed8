/**
 * Checks that 10,485,760 bytes of content pass and one more byte does not, however they are sent, and that the refusal
 * comes as soon as they are exceeded.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { HttpResponse } from '../support/gateway-world.ts';
import { WriteSessionWorld } from '../support/write-session-world.ts';

const LIMIT = 10_485_760;
const TOO_LARGE = 'Content exceeds 10MB limit. Please reduce file size.';

/** A limit of 1,000 bytes, at which every edge of the same rule can be tried cheaply. */
const SMALL = 1_000;

let world: WriteSessionWorld;
let small: WriteSessionWorld;
beforeAll(async () => {
  world = await WriteSessionWorld.open();
  small = await WriteSessionWorld.open(SMALL);
});
afterAll(async () => {
  await world.close();
  await small.close();
});

const text = (bytes: number, end = ''): string => 'x'.repeat(bytes - Buffer.byteLength(end)) + end;

interface Answered {
  readonly status: number;
  readonly error: unknown;
  readonly bytes: number | undefined;
}

const answered = ({ status, body }: HttpResponse): Answered => {
  const results = body['results'] as { bytes: number }[] | undefined;
  return { status, error: body['error'], bytes: results?.[0]?.bytes };
};
/** Finalizes a new session; `content` is its content as JSON text. */
const finalize = async (to: WriteSessionWorld, content: string): Promise<Answered> => {
  const { sessionId } = to.sessions.add();
  return answered(await to.finalize(`{"session_id":"${sessionId}","content":${content}}`));
};
const put = async (to: WriteSessionWorld, content: string): Promise<Answered> =>
  answered(await to.put(to.sessions.add().sessionId, content));

const acceptedAnswer = (bytes: number): Answered => ({ status: 200, error: undefined, bytes });
const refused: Answered = { status: 413, error: TOO_LARGE, bytes: undefined };

describe('content', () => {
  it.each([
    ['exactly the limit', text(SMALL)],
    ['the limit that ends in a character of two bytes', text(SMALL, 'é')],
    ['the limit that ends in a character of four bytes', text(SMALL, '🙂')],
  ])('of %s passes, in both forms', async (_, content) => {
    expect(await put(small, content)).toEqual(acceptedAnswer(SMALL));
    expect(await finalize(small, JSON.stringify(content))).toEqual(acceptedAnswer(SMALL));
  });

  it.each([
    ['one byte more', text(SMALL + 1)],
    ['a character across the limit', `${text(SMALL - 1)}é`],
    ['a character of four bytes across the limit', `${text(SMALL - 3)}🙂`],
  ])('of %s is refused, in both forms', async (_, content) => {
    expect(await put(small, content)).toEqual(refused);
    expect(await finalize(small, JSON.stringify(content))).toEqual(refused);
  });

  it('of the largest size passes whatever its escaping costs, and one byte more does not', async () => {
    expect(await finalize(small, `"${'\\u0078'.repeat(SMALL)}"`)).toEqual(acceptedAnswer(SMALL));
    expect(await finalize(small, `"${'\\u0078'.repeat(SMALL + 1)}"`)).toEqual(refused);
    expect(await finalize(small, `"${'\\ud83d\\ude42'.repeat(SMALL / 4)}"`)).toEqual(acceptedAnswer(SMALL));
    expect(await finalize(small, `"${'\\ud83d\\ude42'.repeat(SMALL / 4)}\\n"`)).toEqual(refused);
  });

  it('of 10 MiB passes, and one byte more does not', async () => {
    expect(await put(world, text(LIMIT))).toEqual(acceptedAnswer(LIMIT));
    expect(await put(world, text(LIMIT + 1))).toEqual(refused);
    expect(await finalize(world, JSON.stringify(text(LIMIT, '🙂')))).toEqual(acceptedAnswer(LIMIT));
    expect(await finalize(world, JSON.stringify(text(LIMIT + 1)))).toEqual(refused);
  });

  it('of 7 MB of quotes and line breaks passes, although they are 14 MB as JSON', async () => {
    expect(await finalize(world, JSON.stringify('"\n'.repeat(3_500_000)))).toEqual(acceptedAnswer(7_000_000));
  });
});

it('a refusal of content names the limit in its details, whichever way the content came', async () => {
  const { sessionId } = small.sessions.add();
  const content = text(SMALL + 1);
  const answers = await Promise.all([
    small.put(sessionId, content),
    small.finalize(JSON.stringify({ session_id: sessionId, content })),
    small.draft(sessionId, 0, content),
  ]);
  expect(answers.map(({ body }) => [body['error'], body['details']])).toEqual(
    Array.from(answers, () => [TOO_LARGE, { limit: SMALL }]),
  );
});

/** Resolves to the next request that a server of this process receives. */
const nextArrival = (): Promise<IncomingMessage> =>
  new Promise((resolve) => {
    const channel = 'http.server.request.start';
    const receive = (message: unknown): void => {
      unsubscribe(channel, receive);
      resolve((message as { request: IncomingMessage }).request);
    };
    subscribe(channel, receive);
  });

describe('a body that is still being sent', () => {
  const open = (path: string, method: string, headers: Record<string, string>): ClientRequest =>
    httpRequest({
      port: world.gateway.port,
      host: '127.0.0.1',
      method,
      path: `/api/write-session/${path}`,
      headers,
    });
  const answerOf = async (
    request: ClientRequest,
  ): Promise<{ status: number | undefined; error: unknown }> => {
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const body = JSON.parse(Buffer.concat(await response.toArray()).toString()) as { error: unknown };
    return { status: response.statusCode, error: body.error };
  };

  it('is refused by its announced length before any of it was sent', async () => {
    const { sessionId } = world.sessions.add();
    const headers = {
      'content-type': 'text/plain',
      'content-length': String(LIMIT + 1),
      expect: '100-continue',
    };
    const request = open(`${sessionId}/content`, 'PUT', headers);
    request.flushHeaders();
    expect(await answerOf(request)).toEqual({ status: 413, error: TOO_LARGE });
    request.destroy();
    const draft = open(`${sessionId}/draft`, 'POST', {
      ...headers,
      'content-length': '11',
      'upload-offset': String(LIMIT - 10),
    });
    draft.flushHeaders();
    expect(await answerOf(draft)).toEqual({ status: 413, error: TOO_LARGE });
    draft.destroy();
  });

  it.each([
    ['raw', 'content', 'PUT', 'text/plain', ''],
    ['JSON', '', 'POST', 'application/json', '{"content":"'],
  ])(
    'is refused as soon as it passes the limit, and lets the client finish: %s',
    async (_, path, method, type, start) => {
      const { sessionId } = world.sessions.add();
      const target = path === '' ? 'finalize' : `${sessionId}/${path}`;
      const request = open(target, method, { 'content-type': type });
      request.write(start + text(LIMIT + 1));
      // The body has no end, so a gateway that collected it first would wait for ever.
      expect(await answerOf(request)).toEqual({ status: 413, error: TOO_LARGE });
      const sent = once(request, 'finish');
      request.end(text(4_000_000));
      await sent;
      request.destroy();
    },
  );

  it('is refused before it is stored when it names an unknown session first', async () => {
    const request = open('finalize', 'POST', { 'content-type': 'application/json' });
    request.write('{"session_id":"no-such-session","content":"abc');
    expect(await answerOf(request)).toMatchObject({ status: 404 });
    request.destroy();
  });

  it('may be abandoned: nothing is committed, and the gateway goes on', async () => {
    const { sessionId } = world.sessions.add();
    const before = world.sessions.finalized.length;
    const request = open(`${sessionId}/content`, 'PUT', {
      'content-type': 'text/plain',
      'content-length': '1000',
    });
    request.on('error', () => undefined);
    const arrival = nextArrival();
    // Node sends the head and the first bytes of a body together, so the gateway has both when the request arrives.
    request.write('abc');
    const arrived = await arrival;
    expect(arrived.url).toContain(sessionId);
    const closed = new Promise<void>((resolve) => arrived.once('close', resolve));
    request.destroy();
    await closed;
    expect(arrived.complete).toBe(false);
    expect((await world.put(world.sessions.add().sessionId, 'x')).status).toBe(200);
    expect(world.sessions.finalized).toHaveLength(before + 1);
  });
});
