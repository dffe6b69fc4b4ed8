/** What the gateway answers to writers that are not ours, or broken; raw requests over real HTTP. */
import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MAX_LANE_LINE_BYTES } from '../../src/contracts/wire/live-lane.ts';
import { proveLane, type LaneClaim } from '../../src/live/lane-proof.ts';
import { createLaneTransport } from '../../src/live/lane-transport.ts';
import { type Gateway, RecordingLog, RecordingSink, startGateway, TOKEN } from './support/lane-gateway.ts';

let gateway: Gateway;
beforeEach(async () => {
  gateway = await startGateway();
});
afterEach(() => gateway.kill());

const HELLO = '{"epoch":101}\n';
const batchLine = (seq: number): string => `${JSON.stringify({ epoch: 101, seq, events: ['word'] })}\n`;

interface Answer {
  readonly status: number;
  readonly body: string;
  /** False: cut before its end. */
  readonly complete: boolean;
}

/** As a writer of this installation would prove itself to this gateway. */
const proof = (claim: Partial<LaneClaim> = {}, token = TOKEN): string =>
  proveLane(token, { turnId: 'turn', epoch: 101, address: gateway.address, ...claim });
const turnOf = (path: string): string => decodeURIComponent(path.slice('/internal/live/'.length));

/** A request whose body is still open. */
function openRequest(
  path: string,
  headers: Record<string, string> = { authorization: proof({ turnId: turnOf(path) }) },
) {
  const writer: ClientRequest = request(`${gateway.address}${path}`, { method: 'POST', headers });
  const answer = new Promise<Answer>((resolve, reject) => {
    writer.on('error', reject);
    writer.on('response', (response: IncomingMessage) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (text: string) => (body += text));
      response.on('close', () =>
        resolve({ status: response.statusCode ?? 0, body, complete: response.complete }),
      );
    });
  });
  return { writer, answer };
}

function post(
  body: string | Buffer,
  path = '/internal/live/turn',
  headers?: Record<string, string>,
): Promise<Answer> {
  const { writer, answer } = openRequest(path, headers);
  writer.write(body);
  return answer;
}

describe('who may write', () => {
  const tampered = (part: RegExp, other: string) => () => proof().replace(part, other);

  it.each([
    ['no proof', () => undefined, 'missing'],
    ['the token itself', () => `Bearer ${TOKEN}`, 'missing'],
    ['a proof in two parts', () => proof().replace(', nonce', '\tnonce'), 'missing'],
    ['a proof by another token', () => proof({}, `${TOKEN.slice(0, -1)}8`), 'wrong'],
    ['the proof of another turn', () => proof({ turnId: 'other' }), 'wrong'],
    ['a proof for another gateway', () => proof({ address: 'http://127.0.0.1:1' }), 'wrong'],
    ['a proof with another epoch in it', tampered(/epoch=101/, 'epoch=102'), 'wrong'],
    ['a proof with another time in it', tampered(/at=\d+/, `at=${Date.now() + 1}`), 'wrong'],
  ])('is refused with %s, before anything is read', async (_, authorize, refusal) => {
    const authorization = authorize();
    const headers = authorization === undefined ? {} : { authorization };
    const answer = await post(HELLO + batchLine(1), '/internal/live/turn', headers);
    expect(answer.status).toBe(401);
    expect(JSON.parse(answer.body)).toEqual({ error: expect.any(String), code: 'unauthorized' });
    expect([gateway.refusals, gateway.sink.calls]).toEqual([[refusal], []]);
  });

  it('is refused with a proof that was used before', async () => {
    const headers = { authorization: proof() };
    const first = openRequest('/internal/live/turn', headers);
    first.writer.end(HELLO);
    expect((await first.answer).status).toBe(200);
    expect((await post(HELLO, '/internal/live/turn', headers)).status).toBe(401);
    expect(gateway.refusals).toEqual(['repeated']);
  });

  it('is refused when the hello names another epoch than the proof', async () => {
    const answer = await post('{"epoch":102}\n');
    expect(answer).toMatchObject({ status: 400, body: expect.stringContaining('field epoch: expected 101') });
    expect(gateway.sink.calls).toEqual([]);
  });

  it('is told to the log once a second at most', async () => {
    await gateway.kill();
    const log = new RecordingLog();
    gateway = await startGateway({ log });
    const answers = Array.from({ length: 20 }, () => post(HELLO, '/internal/live/turn', {}));
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(20).fill(401));
    expect(log.lines[0]).toContain('refused');
    expect(log.lines.length).toBeLessThan(20);
    expect(gateway.refusals).toHaveLength(20);
  });

  it.each(['/internal/live/a%2Fb', '/internal/live/%2e%2e%2f', `/internal/live/${'x'.repeat(129)}`])(
    'is refused for the turn id of %s',
    async (path) => {
      const answer = await post(HELLO, path);
      expect([answer.status, JSON.parse(answer.body).code]).toEqual([400, 'validation_failed']);
    },
  );
});

describe('a bad hello', () => {
  it.each([
    ['garbage', 'what?\n', 'line 1: expected JSON'],
    ['a negative epoch', '{"epoch":-1}\n', 'line 1: field epoch'],
    ['another shape', '[1,2]\n', 'line 1: field (whole line)'],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x00, 0x0a]), 'line 1: expected JSON'],
  ])('is answered 400: %s', async (_, body, error) => {
    const answer = await post(body);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body)).toEqual({
      error: expect.stringContaining(error),
      code: 'validation_failed',
    });
    expect(gateway.sink.calls).toEqual([]);
  });

  it('is answered 400 when the request ends without one', async () => {
    const { writer, answer } = openRequest('/internal/live/turn');
    writer.end('');
    expect((await answer).status).toBe(400);
  });
});

describe('a bad line after the hello', () => {
  it.each([
    ['garbage', '{"epoch":101,\n', 'line 3: expected JSON'],
    ['an event of no type', '{"epoch":101,"seq":2,"events":[{"type":"gone"}]}\n', 'line 3: field events.0'],
    ['a batch without events', '{"epoch":101,"seq":2,"events":[]}\n', 'line 3: field events'],
    ['a second hello', HELLO, 'line 3: field seq'],
    ['a line without end', Buffer.alloc(MAX_LANE_LINE_BYTES + 1, 'x'), 'longer than 4194304 bytes'],
  ])('ends the connection after what came before it: %s', async (_, line, error) => {
    const { writer, answer } = openRequest('/internal/live/turn');
    writer.on('error', () => {});
    writer.write(HELLO + batchLine(1));
    writer.write(line);
    const { status, body } = await answer;
    expect(status).toBe(200);
    expect(JSON.parse(body.trim())).toEqual({ error: expect.stringContaining(error) });
    await gateway.sink.until(() => gateway.sink.count('closed') === 1);
    expect(gateway.sink.calls).toEqual(['opened turn 101', 'batch turn 101-1', 'closed turn 101']);
  });

  it('ends the connection, whatever else comes on it', async () => {
    await post(`${HELLO}bad\n${batchLine(1)}${batchLine(2)}bad again\n`);
    expect(gateway.sink.calls).toEqual(['opened turn 101', 'closed turn 101']);
  });
});

describe('acknowledgements', () => {
  it('name the last batch, all of it at once at the end', async () => {
    const { writer, answer } = openRequest('/internal/live/turn');
    writer.end(`${HELLO}${batchLine(1)}${JSON.stringify({ epoch: 101, seq: 2, events: ['a', 'b', 'c'] })}\n`);
    const { body } = await answer;
    expect(JSON.parse(body)).toEqual({ ack: '101-4' });
  });

  it('answer a ping by an empty line', async () => {
    const { writer, answer } = openRequest('/internal/live/turn');
    writer.end(`${HELLO}\n\n`);
    expect((await answer).body).toBe('\n\n');
  });
});

describe('a gateway that stops', () => {
  it('acknowledges what it took, and cuts the answer short', async () => {
    const { writer, answer } = openRequest('/internal/live/turn');
    const cut = once(writer, 'close');
    answer.catch(() => {});
    writer.on('response', (response) => response.on('error', () => {}));
    writer.write(HELLO + batchLine(1) + batchLine(2));
    await gateway.sink.until(() => gateway.sink.count('batch') === 2);
    await gateway.stop();
    expect(await answer).toEqual({ status: 200, body: '{"ack":"101-2"}\n', complete: false });
    await cut;
    expect(gateway.sink.calls.at(-1)).toBe('closed turn 101');
  });

  it('cuts a writer that has not said hello', async () => {
    const { writer, answer } = openRequest('/internal/live/turn');
    const failure = answer.catch((error: Error) => error.message);
    const requested = once(gateway.server, 'request');
    writer.flushHeaders();
    await requested;
    await gateway.stop();
    expect(await failure).toBe('socket hang up');
  });

  it('does not wait for a writer that never closes its side', async () => {
    const writer = connect({ port: gateway.port, host: '127.0.0.1', allowHalfOpen: true });
    writer.on('error', () => {});
    writer.write(
      `POST /internal/live/turn HTTP/1.1\r\nhost: gateway\r\nauthorization: ${proof()}\r\n` +
        `transfer-encoding: chunked\r\n\r\n${HELLO.length.toString(16)}\r\n${HELLO}\r\n`,
    );
    await gateway.sink.until(() => gateway.sink.count('opened') === 1);
    await gateway.stop();
    expect(gateway.sink.count('closed')).toBe(1);
    writer.destroy();
  });

  it('answers 503 to a writer that comes over a connection of before', async () => {
    const { writer, answer } = openRequest('/internal/live/turn');
    const connected = once(gateway.server, 'connection');
    await connected;
    const stopped = gateway.stop();
    writer.write(HELLO);
    expect((await answer).status).toBe(503);
    await stopped;
    expect(gateway.sink.calls).toEqual([]);
  });
});

describe('other writers', () => {
  it('are not touched by a sink that fails on one of them', async () => {
    await gateway.kill();
    const recording = new RecordingSink();
    const log = new RecordingLog();
    const sink = {
      opened: recording.opened.bind(recording),
      closed: recording.closed.bind(recording),
      batch(turnId: string, batch: Parameters<RecordingSink['batch']>[1]) {
        if (turnId === 'poison') throw new Error('defect of the hub');
        recording.batch(turnId, batch);
      },
    };
    gateway = await startGateway({ sink, log });
    const transport = createLaneTransport({ token: TOKEN });
    const healthy = transport.open({
      address: gateway.address,
      turnId: 'healthy',
      epoch: 101,
      onControl() {},
    });
    healthy.publish({ epoch: 101, seq: 1, events: ['before'] });
    await recording.until(() => recording.seqs('healthy').length === 1);
    expect((await post(HELLO + batchLine(1), '/internal/live/poison')).body).toBe('');
    healthy.publish({ epoch: 101, seq: 2, events: ['after'] });
    await healthy.close();
    transport.close();
    expect(recording.calls.filter((call) => call.includes('poison'))).toEqual([
      'opened poison 101',
      'closed poison 101',
    ]);
    expect(recording.seqs('healthy')).toEqual([1, 2]);
    expect(log.lines).toHaveLength(1);
  });
});
