/** Covers what the gateway answers to writers that are broken or not ours, in raw requests over real HTTP. */
import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MAX_LANE_LINE_BYTES } from '../../../src/contracts/wire/live-lane.ts';
import { proveLane, type LaneProofSubject } from '../../../src/live/http/lane-proof.ts';
import { createLaneTransport } from '../../../src/live/http/lane-transport.ts';
import {
  type Gateway,
  RecordingLog,
  RecordingReceiver,
  startGateway,
  TOKEN,
} from '../support/lane-gateway.ts';

let gateway: Gateway;
beforeEach(async () => {
  gateway = await startGateway();
});
afterEach(() => gateway.kill());

const PATH = '/internal/live';
const line = (json: object): string => `${JSON.stringify(json)}\n`;
const openLine = (turnId = 'turn', channel = 1): string =>
  line({ channel, open: { turnId, proof: proof({ turnId }) } });
const batchLine = (seq: number, channel = 1): string =>
  line({ channel, batch: { epoch: 101, seq, events: ['word'] } });
const closeLine = (channel = 1): string => line({ channel, close: true });

interface Answer {
  readonly status: number;
  readonly body: string;
  /** False when the answer was cut before its end. */
  readonly isComplete: boolean;
}

/** Returns the proof that a writer of this installation would send to this gateway. */
const proof = (claim: Partial<LaneProofSubject> = {}, token = TOKEN): string =>
  proveLane(token, { turnId: 'turn', epoch: 101, address: gateway.address, ...claim });
const connectionProof = (claim: Partial<LaneProofSubject> = {}, token = TOKEN): string =>
  proof({ turnId: null, epoch: 0, ...claim }, token);

/** Sends a request whose body stays open. */
const openRequest = (headers: Record<string, string> = { authorization: connectionProof() }) => {
  const writer: ClientRequest = request(`${gateway.address}${PATH}`, { method: 'POST', headers });
  const answer = new Promise<Answer>((resolve, reject) => {
    writer.on('error', reject);
    writer.on('response', (response: IncomingMessage) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (text: string) => (body += text));
      response.on('close', () =>
        resolve({ status: response.statusCode ?? 0, body, isComplete: response.complete }),
      );
    });
  });
  return { writer, answer };
};

/** Sends a whole body and resolves to the answer that the worker gets. */
const post = (body: string | Buffer, headers?: Record<string, string>): Promise<Answer> => {
  const { writer, answer } = openRequest(headers);
  writer.end(body);
  return answer;
};

const repliesOf = (body: string): unknown[] =>
  body
    .split('\n')
    .filter((text) => text !== '')
    .map((text) => JSON.parse(text) as unknown);

describe('who may connect', () => {
  const tampered = (part: RegExp, other: string) => () => connectionProof().replace(part, other);

  it.each([
    ['no proof', () => undefined, 'missing'],
    ['the token itself', () => `Bearer ${TOKEN}`, 'missing'],
    ['a proof in two parts', () => connectionProof().replace(', nonce', '\tnonce'), 'missing'],
    ['a proof by another token', () => connectionProof({}, `${TOKEN.slice(0, -1)}8`), 'wrong'],
    ['the proof of a turn', () => proof(), 'wrong'],
    ['a proof for another gateway', () => connectionProof({ address: 'http://127.0.0.1:1' }), 'wrong'],
    ['a proof with another epoch in it', tampered(/epoch=0/, 'epoch=101'), 'wrong'],
    ['a proof with another time in it', tampered(/at=\d+/, `at=${Date.now() + 1}`), 'wrong'],
  ])('is refused with %s, before anything is read', async (_, authorize, refusal) => {
    const authorization = authorize();
    const headers = authorization === undefined ? {} : { authorization };
    const answer = await post(openLine() + batchLine(1), headers);
    expect(answer.status).toBe(401);
    expect(JSON.parse(answer.body)).toEqual({ error: expect.any(String), code: 'unauthorized' });
    expect([gateway.refusals, gateway.receiver.calls]).toEqual([[refusal], []]);
  });

  it('is refused with a proof that was used before', async () => {
    const headers = { authorization: connectionProof() };
    expect((await post('', headers)).status).toBe(200);
    expect((await post('', headers)).status).toBe(401);
    expect(gateway.refusals).toEqual(['repeated']);
  });

  it('is logged once a second at most', async () => {
    await gateway.kill();
    const log = new RecordingLog();
    gateway = await startGateway({ log });
    const answers = Array.from({ length: 20 }, () => post(openLine(), {}));
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(20).fill(401));
    expect(log.lines[0]).toContain('refused');
    expect(log.lines.length).toBeLessThan(20);
    expect(gateway.refusals).toHaveLength(20);
  });
});

describe('who may write on a connection', () => {
  const opening = (text: string): string => line({ channel: 1, open: { turnId: 'turn', proof: text } });

  it.each([
    ['no proof', () => '', 'missing'],
    ['the proof of the connection', () => connectionProof(), 'wrong'],
    ['a proof by another token', () => proof({}, `${TOKEN.slice(0, -1)}8`), 'wrong'],
    ['the proof of another turn', () => proof({ turnId: 'other' }), 'wrong'],
    ['a proof for another gateway', () => proof({ address: 'http://127.0.0.1:1' }), 'wrong'],
    ['a proof with another epoch in it', () => proof().replace('epoch=101', 'epoch=102'), 'wrong'],
  ])('is judged for each turn: %s is refused, and the others go on', async (_, prove, refusal) => {
    const { body } = await post(
      openLine('other', 2) + opening(prove()) + batchLine(1, 1) + batchLine(1, 2) + closeLine(2),
    );
    expect(repliesOf(body)).toEqual([
      { channel: 1, refused: expect.stringMatching(/^Live lane, line 2: /) },
      { acks: [[2, '101-1']] },
      { channel: 2, closed: true },
    ]);
    expect(gateway.refusals).toEqual([refusal]);
    expect(gateway.receiver.calls).toEqual(['opened other 101', 'batch other 101-1', 'closed other 101']);
  });

  it('is refused with a proof that was used before, on this connection or another', async () => {
    const used = opening(proof());
    expect((await post(used + closeLine())).body).toBe('{"channel":1,"closed":true}\n');
    expect(repliesOf((await post(used)).body)).toEqual([{ channel: 1, refused: expect.any(String) }]);
    expect(gateway.refusals).toEqual(['repeated']);
  });

  it.each(['a/b', '../', 'x'.repeat(129), ''])('is refused for the turn id "%s"', async (turnId) => {
    const { body } = await post(openLine(turnId));
    expect(repliesOf(body)).toEqual([
      { channel: 1, refused: expect.stringContaining('field open.turnId: expected 1-128 characters') },
    ]);
    expect(gateway.receiver.calls).toEqual([]);
  });

  it('replaces an earlier connection that is not known to be dead', async () => {
    const first = openRequest();
    first.answer.catch(() => {});
    first.writer.write(openLine() + openLine('other', 2));
    await gateway.receiver.until(() => gateway.receiver.count('opened') === 2);
    await post(openLine('turn', 7) + batchLine(5, 7) + closeLine(7));
    first.writer.write(batchLine(1) + batchLine(1, 2));
    await gateway.receiver.until(() => gateway.receiver.seqs('other').length === 1);
    expect(gateway.receiver.calls.filter((call) => !call.includes('other'))).toEqual([
      'opened turn 101',
      'closed turn 101',
      'opened turn 101',
      'batch turn 101-5',
      'closed turn 101',
    ]);
    first.writer.destroy();
  });
});

describe('a line that the gateway does not understand', () => {
  it.each([
    ['garbage', 'what?\n', 'line 3: expected JSON'],
    ['half an object', '{"channel":1,\n', 'line 3: expected JSON'],
    ['another shape', '[1,2]\n', 'line 3: field (whole line)'],
    ['a channel that is no number', '{"channel":"1"}\n', 'line 3: field channel'],
    ['a negative channel', '{"channel":-1}\n', 'line 3: field channel'],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x00, 0x0a]), 'line 3: expected JSON'],
    ['a line without end', Buffer.alloc(MAX_LANE_LINE_BYTES + 1, 'x'), 'longer than 4194304 bytes'],
  ])(
    'and belongs to no channel ends the connection after what came before it: %s',
    async (_, text, error) => {
      const { writer, answer } = openRequest();
      writer.on('error', () => {});
      writer.write(openLine() + batchLine(1));
      writer.write(text);
      const { status, body } = await answer;
      expect(status).toBe(200);
      expect(repliesOf(body).at(-1)).toEqual({ error: expect.stringContaining(error) });
      await gateway.receiver.until(() => gateway.receiver.count('closed') === 1);
      expect(gateway.receiver.calls).toEqual(['opened turn 101', 'batch turn 101-1', 'closed turn 101']);
    },
  );

  it.each([
    ['an event of no type', { epoch: 101, seq: 2, events: [{ type: 'gone' }] }, 'batch.events.0'],
    ['a batch without events', { epoch: 101, seq: 2, events: [] }, 'batch.events'],
    [
      'more events than a line may have',
      { epoch: 101, seq: 2, events: Array(1_001).fill('a') },
      'batch.events',
    ],
    ['a batch of no epoch', { seq: 2, events: ['a'] }, 'batch.epoch'],
  ])('ends only its channel: %s', async (_, batch, field) => {
    const bad = line({ channel: 1, batch });
    const { body } = await post(
      openLine() + openLine('other', 2) + bad + batchLine(3) + batchLine(1, 2) + closeLine(2),
    );
    expect(repliesOf(body)).toEqual([
      { channel: 1, refused: expect.stringContaining(`line 3: field ${field}`) },
      { acks: [[2, '101-1']] },
      { channel: 2, closed: true },
    ]);
    expect(gateway.receiver.calls.filter((call) => call.includes('turn'))).toEqual([
      'opened turn 101',
      'closed turn 101',
    ]);
  });

  it('ends the connection, whatever else comes on it', async () => {
    await post(`${openLine()}bad\n${batchLine(1)}${batchLine(2)}bad again\n`);
    expect(gateway.receiver.calls).toEqual(['opened turn 101', 'closed turn 101']);
  });

  it('ends the connection when it opens a channel that is open', async () => {
    const { body } = await post(openLine() + openLine('other', 1));
    expect(repliesOf(body)).toEqual([{ error: 'Live lane, line 2: field channel: 1 is open already' }]);
  });

  it('does not reach the receiver for a channel that was never opened', async () => {
    expect((await post(batchLine(1, 9) + closeLine(9))).body).toBe('{"channel":9,"closed":true}\n');
    expect(gateway.receiver.calls).toEqual([]);
  });
});

/**
 * Runs in a thread of its own: writes `head`, then writes `rest` while the event loop of the test is blocked, until no
 * more is taken.
 */
const SENDER = `
  const { connect } = require('node:net');
  const { workerData: { port, head, rest, flag } } = require('node:worker_threads');
  const socket = connect(port, '127.0.0.1', () => socket.write(head));
  socket.once('data', () => {
    for (let at = 0; at < rest.length; at += 65536) socket.write(rest.slice(at, at + 65536));
    let before = 0;
    const looking = setInterval(() => {
      const taken = socket.bytesWritten - socket.writableLength;
      if (taken > before) return (before = taken);
      clearInterval(looking);
      Atomics.store(flag, 0, 1);
      Atomics.notify(flag, 0);
    }, 50);
  });
`;

it('what arrived while the loop was blocked is read a piece at a time, so that other work comes between', async () => {
  await gateway.kill();
  const ended = Promise.withResolvers<void>();
  const flag = new Int32Array(new SharedArrayBuffer(4));
  let [total, taken, maxAtOnce] = [0, 0, 0];
  const receiver = {
    opened: () => void setImmediate(() => Atomics.wait(flag, 0, 0, 5_000)),
    closed: () => ended.resolve(),
    batch: () => void (taken += 1),
    output: () => undefined,
  };
  gateway = await startGateway({ receiver });
  // A timer runs at most once in a tick of the event loop, so `taken` counts what came in one tick or a few.
  const look = (): void => {
    [total, maxAtOnce, taken] = [total + taken, Math.max(maxAtOnce, taken), 0];
  };
  const looking = setInterval(look, 1);
  const hello = openLine();
  const rest = Array.from({ length: 100_000 }, (_, i) => batchLine(i + 1)).join('') + closeLine();
  const head =
    `POST ${PATH} HTTP/1.1\r\nHost: gateway\r\nAuthorization: ${connectionProof()}\r\n` +
    `Content-Length: ${hello.length + rest.length}\r\n\r\n${hello}`;
  const sender = new Worker(SENDER, { eval: true, workerData: { port: gateway.port, head, rest, flag } });
  await ended.promise;
  clearInterval(looking);
  look();
  await sender.terminate();
  expect(total).toBe(100_000);
  expect(maxAtOnce).toBeLessThan(10_000);
});

describe('acknowledgements', () => {
  it('name the last batch of each channel, all of them at once', async () => {
    const long = line({ channel: 1, batch: { epoch: 101, seq: 2, events: ['a', 'b', 'c'] } });
    const { body } = await post(openLine() + openLine('other', 2) + batchLine(1) + batchLine(1, 2) + long);
    expect(repliesOf(body)).toEqual([
      {
        acks: [
          [1, '101-4'],
          [2, '101-1'],
        ],
      },
    ]);
  });

  it('come before the line that a channel is closed', async () => {
    const { writer, answer } = openRequest();
    writer.write(openLine() + batchLine(1) + closeLine());
    await gateway.receiver.until(() => gateway.receiver.count('closed') === 1);
    writer.end();
    expect(repliesOf((await answer).body)).toEqual([{ acks: [[1, '101-1']] }, { channel: 1, closed: true }]);
  });

  it('answer a ping by an empty line', async () => {
    expect((await post('\n\n')).body).toBe('\n\n');
  });
});

describe('a gateway that stops', () => {
  it('acknowledges what it has received, and ends the answer', async () => {
    const { writer, answer } = openRequest();
    const cut = once(writer, 'close');
    answer.catch(() => {});
    writer.on('response', (response) => response.on('error', () => {}));
    writer.write(openLine() + batchLine(1) + batchLine(2));
    await gateway.receiver.until(() => gateway.receiver.count('batch') === 2);
    await gateway.stop();
    expect(await answer).toEqual({ status: 200, body: '{"acks":[[1,"101-2"]]}\n', isComplete: false });
    await cut;
    expect(gateway.receiver.calls.at(-1)).toBe('closed turn 101');
  });

  it('cuts a worker that has sent nothing', async () => {
    const { writer, answer } = openRequest();
    const responded = once(writer, 'response').then(([response]) =>
      (response as IncomingMessage).on('error', () => {}),
    );
    writer.flushHeaders();
    await responded;
    await gateway.stop();
    expect(await answer).toEqual({ status: 200, body: '', isComplete: false });
  });

  it('does not wait for a writer that never closes its side', async () => {
    const hello = openLine();
    const writer = connect({ port: gateway.port, host: '127.0.0.1', allowHalfOpen: true });
    writer.on('error', () => {});
    writer.write(
      `POST ${PATH} HTTP/1.1\r\nhost: gateway\r\nauthorization: ${connectionProof()}\r\n` +
        `transfer-encoding: chunked\r\n\r\n${hello.length.toString(16)}\r\n${hello}\r\n`,
    );
    await gateway.receiver.until(() => gateway.receiver.count('opened') === 1);
    await gateway.stop();
    expect(gateway.receiver.count('closed')).toBe(1);
    writer.destroy();
  });

  it('answers 503 to a writer on an earlier connection', async () => {
    const { writer, answer } = openRequest();
    const connected = once(gateway.server, 'connection');
    await connected;
    const stopped = gateway.stop();
    writer.write(openLine());
    expect((await answer).status).toBe(503);
    await stopped;
    expect(gateway.receiver.calls).toEqual([]);
  });
});

describe('other writers', () => {
  it('are not affected by a receiver that fails on one of them', async () => {
    await gateway.kill();
    const recording = new RecordingReceiver();
    const log = new RecordingLog();
    const receiver = {
      opened: recording.opened.bind(recording),
      closed: recording.closed.bind(recording),
      output: recording.output.bind(recording),
      batch(turnId: string, batch: Parameters<RecordingReceiver['batch']>[1]) {
        if (turnId === 'poison') throw new Error('defect of the hub');
        recording.batch(turnId, batch);
      },
    };
    gateway = await startGateway({ receiver, log });
    const transport = createLaneTransport({ token: TOKEN });
    const healthy = transport.open({
      address: gateway.address,
      turnId: 'healthy',
      epoch: 101,
      onControl() {},
    });
    healthy.publish({ epoch: 101, seq: 1, events: ['before'] });
    await recording.until(() => recording.seqs('healthy').length === 1);
    const { body } = await post(openLine('poison') + batchLine(1) + openLine('other', 2) + batchLine(1, 2));
    expect(repliesOf(body)).toEqual([{ channel: 1, refused: expect.any(String) }, { acks: [[2, '101-1']] }]);
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
