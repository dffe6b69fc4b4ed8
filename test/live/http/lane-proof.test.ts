/** Covers what a proof is good for, and what somebody who has seen one can do with it. */
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { laneLineSchema } from '../../../src/contracts/wire/live-lane.ts';
import { LaneVerifier, proveLane } from '../../../src/live/http/lane-proof.ts';
import {
  isLaneAddress,
  isSignedLaneAddress,
  laneAddressRules,
  signLaneAddress,
} from '../../../src/live/lane-address.ts';
import { noopPublisher } from '../../../src/live/lane.ts';
import { createLaneTransport } from '../../../src/live/http/lane-transport.ts';
import { startGateway, TOKEN } from '../support/lane-gateway.ts';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const ADDRESS = 'http://gateway:5000';
const claim = { turnId: 'turn', epoch: 101, address: ADDRESS };

/**
 * Starts a foreign server on this machine that takes the first request of a worker and keeps all of it, with its first
 * line.
 */
const eavesdropper = async () => {
  const heard = Promise.withResolvers<{ request: IncomingMessage; line: string }>();
  const server = createServer((request) => {
    request.setEncoding('utf8');
    request.once('data', (line: string) => heard.resolve({ request, line }));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  cleanUps.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard: heard.promise };
};

/** Resolves to the status line of the answer to a request that is written by hand. */
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

describe('a turn that was started with a foreign address as its lane', () => {
  it('gives away neither the token nor anything that the gateway takes', async () => {
    const gateway = await startGateway();
    cleanUps.push(() => gateway.kill());
    const evil = await eavesdropper();
    const transport = createLaneTransport({ token: TOKEN });
    cleanUps.push(() => transport.close());
    transport.open({ address: evil.address, turnId: 'turn', epoch: 101, onControl() {} });

    const { request, line } = await evil.heard;
    expect(request.rawHeaders.join(' ') + line).not.toContain(TOKEN);
    const { open } = laneLineSchema.parse(JSON.parse(line));
    for (const authorization of [String(request.headers.authorization), String(open?.proof)]) {
      const answer = await statusOf(gateway.port, [
        'POST /internal/live HTTP/1.1',
        'Host: gateway',
        `Authorization: ${authorization}`,
        'Transfer-Encoding: chunked',
      ]);
      expect(answer).toBe('HTTP/1.1 401 Unauthorized');
    }
    const verifier = new LaneVerifier(TOKEN, gateway.address);
    expect(verifier.verify(open?.proof, 'turn')).toEqual({ ok: false, refusal: 'wrong' });
    expect(gateway.refusals).toEqual(['wrong', 'wrong']);
    expect(gateway.receiver.calls).toEqual([]);
  });
});

describe('a proof', () => {
  it('is valid only for its turn, epoch and gateway, and only once', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(), fc.string(), (turnId, epoch, other) => {
        const verifier = new LaneVerifier(TOKEN, ADDRESS);
        const proof = proveLane(TOKEN, { turnId, epoch, address: `${ADDRESS}/path` });
        expect(verifier.verify(proof, null)).toEqual({ ok: false, refusal: 'wrong' });
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

  it('is remembered for as long as it would be valid, whenever it comes again', () => {
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
    'requires a proof when there is %j',
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

describe('an address that a gateway has signed', () => {
  /** Returns the address of this machine in a form that does not look local. */
  const elsewhere = (address: string): string => address.replace('127.0.0.1', '[::ffff:127.0.0.1]');

  it('is used by workers with the same token, whatever the settings say', async () => {
    const { address, heard } = await eavesdropper();
    const transport = createLaneTransport({ token: TOKEN });
    cleanUps.push(() => transport.close());
    const open = (to: string) => transport.open({ address: to, turnId: 'turn', epoch: 101, onControl() {} });
    const there = elsewhere(address);
    for (const wrong of [there, signLaneAddress(`${TOKEN}x`, there), `${there}/?gateway=`]) {
      expect(open(wrong)).toBe(noopPublisher);
    }
    expect(open(signLaneAddress(TOKEN, there))).not.toBe(noopPublisher);
    expect((await heard).request.url).toBe('/internal/live');
  });

  it('is valid only for its own origin', () => {
    const signed = new URL(signLaneAddress(TOKEN, 'http://9f3c1b:5000'));
    expect(isSignedLaneAddress(TOKEN, signed)).toBe(true);
    for (const other of ['http://9f3c1b:5001', 'http://evil:5000', 'https://9f3c1b:5000']) {
      expect(isSignedLaneAddress(TOKEN, new URL(signed.search, other))).toBe(false);
    }
  });

  it('an address of this machine stays unchanged', () => {
    for (const address of ['http://127.0.0.1:5000', 'http://localhost:5000', 'http://[::1]:5000']) {
      expect(signLaneAddress(TOKEN, address)).toBe(address);
    }
  });

  it('is the one that proofs are made for, signed or not', () => {
    const verifier = new LaneVerifier(TOKEN, ADDRESS);
    const proof = proveLane(TOKEN, { ...claim, address: signLaneAddress(TOKEN, ADDRESS) });
    expect(verifier.verify(proof, 'turn').ok).toBe(true);
  });
});
