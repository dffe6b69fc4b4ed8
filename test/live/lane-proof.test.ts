/** What a proof is good for, and what somebody who has seen one can do with it. */
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LaneVerifier, proveLane } from '../../src/live/lane-proof.ts';
import { createLaneTransport, isLaneAddress, laneAddressRules } from '../../src/live/lane-transport.ts';
import { startGateway, TOKEN } from './support/lane-gateway.ts';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const ADDRESS = 'http://gateway:5000';
const claim = { turnId: 'turn', epoch: 101, address: ADDRESS };

/** Somebody's server on this machine: takes the first request of a worker and keeps all of it. */
async function eavesdropper() {
  const heard = Promise.withResolvers<IncomingMessage>();
  const server = createServer((request) => heard.resolve(request));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  cleanUps.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard: heard.promise };
}

/** Status line of the answer to a request as sent by hand. */
const statusOf = (port: number, lines: readonly string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('data', (data: Buffer) => {
      socket.destroy();
      resolve(data.toString('latin1').split('\r\n')[0] ?? '');
    });
    socket.once('error', reject);
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  });

describe('a turn that was started again with somebody’s own address as its lane', () => {
  it('gives away neither the token nor anything that the gateway takes', async () => {
    const gateway = await startGateway();
    cleanUps.push(() => gateway.kill());
    const evil = await eavesdropper();
    const transport = createLaneTransport({ token: TOKEN });
    cleanUps.push(() => transport.close());
    transport.open({ address: evil.address, turnId: 'turn', epoch: 101, onControl() {} });

    const { rawHeaders, headers } = await evil.heard;
    expect(rawHeaders.join(' ')).not.toContain(TOKEN);
    const authorization = String(headers.authorization);
    for (const turnId of ['turn', 'another-turn']) {
      const answer = await statusOf(gateway.port, [
        `POST /internal/live/${turnId} HTTP/1.1`,
        'Host: gateway',
        `Authorization: ${authorization}`,
        'Transfer-Encoding: chunked',
      ]);
      expect(answer).toBe('HTTP/1.1 401 Unauthorized');
    }
    expect(gateway.refusals).toEqual(['wrong', 'wrong']);
    expect(gateway.sink.calls).toEqual([]);
  });
});

describe('a proof', () => {
  it('is good for its turn, epoch and gateway alone, and once', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(), fc.string(), (turnId, epoch, other) => {
        const verifier = new LaneVerifier(TOKEN, ADDRESS);
        const proof = proveLane(TOKEN, { turnId, epoch, address: `${ADDRESS}/path` });
        if (other !== turnId) expect(verifier.verify(proof, other)).toEqual({ ok: false, refusal: 'wrong' });
        expect(verifier.verify(proof, turnId)).toEqual({ ok: true, epoch });
        expect(verifier.verify(proof, turnId)).toEqual({ ok: false, refusal: 'repeated' });
      }),
    );
  });

  it('never holds the token, and no two are alike', () => {
    const proofs = Array.from({ length: 100 }, () => proveLane(TOKEN, claim));
    expect(new Set(proofs).size).toBe(100);
    expect(proofs.join('\n')).not.toContain(TOKEN);
  });

  it.each([
    [-5 * 60_000 - 1_000, 'stale'],
    [5 * 60_000 + 1_000, 'stale'],
    [-4 * 60_000, undefined],
    [4 * 60_000, undefined],
  ])('made %i ms from now by the clock of the gateway: %s', (ms, refusal) => {
    const verifier = new LaneVerifier(TOKEN, ADDRESS, () => Date.now() - ms);
    const verdict = verifier.verify(proveLane(TOKEN, claim), 'turn');
    expect(verdict).toEqual(refusal ? { ok: false, refusal } : { ok: true, epoch: 101 });
  });

  it('is remembered for as long as it would be good, whenever it comes again', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -299_000, max: 299_000 }),
        fc.array(fc.integer({ min: 1, max: 700_000 }), { minLength: 1, maxLength: 6 }),
        (skew, waits) => {
          let now = Date.now() + skew;
          const verifier = new LaneVerifier(TOKEN, ADDRESS, () => now);
          const proof = proveLane(TOKEN, claim);
          expect(verifier.verify(proof, 'turn').ok).toBe(true);
          for (const wait of waits) {
            now += wait;
            verifier.verify(proveLane(TOKEN, claim), 'turn');
            expect(verifier.verify(proof, 'turn').ok).toBe(false);
          }
        },
      ),
    );
  });

  it.each([undefined, '', 'Bearer x', 'Orion-Lane at=1, epoch=1, nonce=a, proof=b'])(
    'is asked for when there is %j',
    (header) => {
      const verdict = new LaneVerifier(TOKEN, ADDRESS).verify(header, 'turn');
      expect(verdict).toEqual({ ok: false, refusal: 'missing' });
    },
  );
});

describe('addresses that workers write to', () => {
  const rules = laneAddressRules(['http://gateway:5000', 'http://*.gateways.internal:80', '10.0.0.7']);
  it.each([
    ['http://127.0.0.1:1', true],
    ['http://localhost:9', true],
    ['http://[::1]:9', true],
    ['http://gateway:5000', true],
    ['http://GATEWAY:5000', true],
    ['http://gateway:5001', false],
    ['http://gateway', false],
    ['http://evil/?http://gateway:5000', false],
    ['http://gateway:5000@evil', false],
    ['http://gateway.evil:5000', false],
    ['http://a.gateways.internal', true],
    ['http://gateways.internal', false],
    ['http://agateways.internal', false],
    ['http://10.0.0.7:1234', true],
    ['http://10.0.0.8', false],
    ['http://127.0.0.1.evil', false],
    ['http://localhost.evil', false],
  ])('%s: %s', (address, expected) => {
    expect(isLaneAddress(new URL(address), rules)).toBe(expected);
  });

  it('are refused at the start when they cannot be read', () => {
    expect(() => laneAddressRules(['http://a b'])).toThrow('ORION_LIVE_ALLOWED_ADDRESSES');
  });
});
