/**
 * Checks that a refusal reaches clients that send a whole body before they read, and hang up after one answer, as
 * Python's urllib does.
 */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WriteSessionWorld } from '../support/write-session-world.ts';

let world: WriteSessionWorld;
beforeAll(async () => {
  world = await WriteSessionWorld.open();
});
afterAll(() => world.close());

/** The body is larger than the buffers of both ends. */
const TOO_LARGE = Buffer.alloc(24_000_000, 'x');
const BODY = Buffer.alloc(10_000_000, 'x');

interface Sent {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly version?: string;
  readonly body?: Buffer;
}

/**
 * Resolves to the whole answer, read only after everything was written. Rejects when the connection breaks before that.
 */
const sendThenRead = ({ path, method = 'POST', headers = {}, version = '1.1', body = BODY }: Sent) =>
  new Promise<string>((resolve, reject) => {
    const socket = connect(world.gateway.port, '127.0.0.1');
    socket.pause();
    socket.on('error', reject);
    const fields = { host: 'localhost', 'content-length': String(body.length), ...headers };
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`${method} ${path} HTTP/${version}\r\n${lines.join('')}\r\n`);
    socket.write(body, (error) => {
      if (error) return reject(error);
      let text = '';
      socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
      socket.on('end', () => {
        socket.destroy();
        resolve(text);
      });
      socket.resume();
    });
  });

const close = { connection: 'close', 'content-type': 'text/plain' };
const json = { ...close, 'content-type': 'application/json' };

describe('the refusal of a body that was sent whole', () => {
  it.each([
    [
      'content that is too large',
      { path: '/api/write-session/SESSION/content', method: 'PUT', headers: close, body: TOO_LARGE },
      413,
      'content_too_large',
    ],
    [
      'content for no session',
      { path: '/api/write-session/none/content', method: 'PUT', headers: close },
      404,
      'session_not_found',
    ],
    [
      'a draft for no session',
      { path: '/api/write-session/none/draft', headers: { ...close, 'upload-offset': '0' } },
      404,
      'session_not_found',
    ],
    [
      'a finalize that is no JSON',
      { path: '/api/write-session/finalize', headers: json },
      413,
      'payload_too_large',
    ],
    [
      'a begin that is too large',
      { path: '/api/write-session/begin', headers: json },
      413,
      'payload_too_large',
    ],
    ['a path that is none', { path: '/api/nothing', headers: json }, 413, 'payload_too_large'],
    [
      'a client of HTTP/1.0',
      { path: '/api/write-session/none/content', method: 'PUT', version: '1.0' },
      404,
      'session_not_found',
    ],
  ])('arrives: %s', async (_what, sent, status, code) => {
    const path = sent.path.replace('SESSION', world.sessions.add().sessionId);
    const answer = await sendThenRead({ ...sent, path });
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))).toMatchObject({ code });
  });

  it('arrives although the gateway is busy for longer than a client may be silent', async () => {
    const socket = connect(world.gateway.port, '127.0.0.1');
    const answered = new Promise<string>((resolve, reject) => {
      socket.on('error', reject);
      socket.once('data', (data: Buffer) => resolve(data.toString()));
    });
    const half = BODY.length / 2;
    socket
      .pause()
      .write(
        'PUT /api/write-session/none/content HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n' +
          `content-type: text/plain\r\ncontent-length: ${BODY.length}\r\n\r\n`,
      );
    await new Promise((resolve) => socket.write(BODY.subarray(0, half), resolve));
    const written = new Promise((resolve) => socket.write(BODY.subarray(half), resolve));
    // Both ends run in this process. When it goes on, the next bytes of the body are there.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_200);
    await written;
    socket.resume();
    expect(await answered).toMatch(/^HTTP\/1\.1 404 /);
    socket.destroy();
  });

  it('reaches a client that waits for it in the middle of its body', async () => {
    const socket = connect(world.gateway.port, '127.0.0.1');
    const answered = new Promise<string>((resolve) =>
      socket.once('data', (data: Buffer) => resolve(data.toString())),
    );
    socket.write(
      'PUT /api/write-session/none/content HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n' +
        'content-type: text/plain\r\ncontent-length: 1000\r\n\r\nabc',
    );
    expect(await answered).toMatch(/^HTTP\/1\.1 404 /);
    socket.destroy();
  });
});
