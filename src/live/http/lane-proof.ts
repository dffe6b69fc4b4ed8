import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * Largest difference, in milliseconds, between the clocks of a worker and a gateway. It also decides how long used
 * proofs are remembered.
 */
const MAX_SKEW_MS = 5 * 60_000;
const NONCE_BYTES = 16;
const PROOF =
  /^Orion-Lane at=(?<at>\d{1,15}), epoch=(?<epoch>\d{1,15}), nonce=(?<nonce>[\w-]{22}), proof=(?<proof>[\w-]{43})$/;

/** What a proof says: that this writer of this turn speaks to the gateway at this address, and to no other. */
export interface LaneProofSubject {
  /**
   * Turn of the writer. Null for the connection itself, whose writers have proofs of their own; the epoch is then 0.
   */
  readonly turnId: string | null;
  readonly epoch: number;
  /** Base URL of the gateway; only its origin counts. */
  readonly address: string;
}

/**
 * Makes the text by which a worker shows that it knows the token of this installation without sending it: HMAC-SHA-256
 * (RFC 2104) over its subject, the time and a random number. Each text is good once, either as the Authorization header
 * of a connection or in the line that opens a channel. Throws TypeError on an address that is no URL.
 */
export const proveLane = (token: string, subject: LaneProofSubject): string => {
  const at = Date.now();
  const nonce = randomBytes(NONCE_BYTES).toString('base64url');
  const proof = digest(token, subject, at, nonce).toString('base64url');
  return `Orion-Lane at=${at}, epoch=${subject.epoch}, nonce=${nonce}, proof=${proof}`;
};

/** Returns the HMAC. JSON keeps the fields apart, so that no two subjects have the same bytes. */
const digest = (
  token: string,
  { turnId, epoch, address }: LaneProofSubject,
  at: number,
  nonce: string,
): Buffer =>
  createHmac('sha256', token)
    .update(JSON.stringify(['orion-lane-1', new URL(address).origin, turnId, epoch, at, nonce]))
    .digest();

/** The reasons for which proofs are refused, by which metrics count them. */
export const LANE_REFUSALS = ['missing', 'wrong', 'stale', 'repeated'] as const;
/**
 * Why a proof is refused.
 *
 * - `missing`: there is none, or it is unreadable.
 * - `wrong`: it was made with another token, or for another turn or address.
 * - `stale`: its time is further from the gateway's than clocks may differ.
 * - `repeated`: it has been used before.
 */
export type LaneRefusal = (typeof LANE_REFUSALS)[number];

const REFUSAL_TEXTS: Readonly<Record<LaneRefusal, string>> = {
  missing: 'Expected a proof of this installation (Orion-Lane …)',
  wrong: 'The proof is of another installation, turn or gateway address',
  stale: 'The proof is too old, or the clocks of worker and gateway differ by more than 5 minutes',
  repeated: 'The proof has been used before',
};

/** Returns the refusal in words, for the writer and for the log. */
export const laneRefusalText = (refusal: LaneRefusal): string => REFUSAL_TEXTS[refusal];

/** The epoch that a proof is good for, or why it is refused. */
export type LaneVerdict =
  { readonly ok: true; readonly epoch: number } | { readonly ok: false; readonly refusal: LaneRefusal };

/**
 * Judges the proofs that one gateway receives. It remembers accepted proofs for as long as they would be good, so that
 * this process accepts none twice.
 */
export class LaneVerifier {
  readonly #token: string;
  readonly #address: string;
  readonly #now: () => number;
  /**
   * The nonces that were used in the present window of time, and those of the window before. One window is as long as a
   * proof can be good, so an older nonce need not be known.
   */
  #used = new Set<string>();
  #usedBefore = new Set<string>();
  #windowEnds = 0;

  constructor(token: string, address: string, now: () => number = Date.now) {
    this.#token = token;
    this.#address = address;
    this.#now = now;
  }

  /**
   * Judges a proof. `text` is undefined if there is none. `turnId` is the turn that it must be for, or null for a
   * connection.
   */
  verify(text: string | undefined, turnId: string | null): LaneVerdict {
    const fields = PROOF.exec(text ?? '')?.groups;
    if (fields === undefined) return { ok: false, refusal: 'missing' };
    const { nonce = '', proof = '' } = fields;
    const at = Number(fields['at']);
    const epoch = Number(fields['epoch']);
    const expected = digest(this.#token, { turnId, epoch, address: this.#address }, at, nonce);
    if (!timingSafeEqual(expected, Buffer.from(proof, 'base64url'))) return { ok: false, refusal: 'wrong' };
    if (Math.abs(this.#now() - at) > MAX_SKEW_MS) return { ok: false, refusal: 'stale' };
    if (!this.#useNonce(nonce)) return { ok: false, refusal: 'repeated' };
    return { ok: true, epoch };
  }

  /**
   * Uses a nonce up. Returns false if it was used before. It is called only for valid proofs, so that nobody without
   * the token can make the sets grow.
   */
  #useNonce(nonce: string): boolean {
    this.#rotateWindow();
    if (this.#used.has(nonce) || this.#usedBefore.has(nonce)) return false;
    this.#used.add(nonce);
    return true;
  }

  #rotateWindow(): void {
    const now = this.#now();
    if (now < this.#windowEnds) return;
    // A proof from a clock that is ahead by the whole skew is good for twice the skew.
    const windowMs = 2 * MAX_SKEW_MS;
    this.#usedBefore = now < this.#windowEnds + windowMs ? this.#used : new Set();
    this.#used = new Set();
    this.#windowEnds = now + windowMs;
  }
}
