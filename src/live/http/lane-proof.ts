import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Bounds how far the clocks of a worker and a gateway may differ, and how long a proof must be remembered. */
const MAX_SKEW_MS = 5 * 60_000;
const NONCE_BYTES = 16;
const PROOF =
  /^Orion-Lane at=(?<at>\d{1,15}), epoch=(?<epoch>\d{1,15}), nonce=(?<nonce>[\w-]{22}), proof=(?<proof>[\w-]{43})$/;

/** What a proof claims: that this writer of this turn speaks to the gateway at this address, and to no other. */
export interface LaneClaim {
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
 * (RFC 2104) over the claim, the time and a random number. Each is good once: as the Authorization header of a
 * connection, or in the line that opens a channel on it. Throws TypeError on an address that is no URL.
 */
export const proveLane = (token: string, claim: LaneClaim): string => {
  const at = Date.now();
  const nonce = randomBytes(NONCE_BYTES).toString('base64url');
  const proof = digest(token, claim, at, nonce).toString('base64url');
  return `Orion-Lane at=${at}, epoch=${claim.epoch}, nonce=${nonce}, proof=${proof}`;
};

/** JSON keeps the fields apart: no two claims have the same bytes. */
const digest = (token: string, { turnId, epoch, address }: LaneClaim, at: number, nonce: string): Buffer =>
  createHmac('sha256', token)
    .update(JSON.stringify(['orion-lane-1', new URL(address).origin, turnId, epoch, at, nonce]))
    .digest();

/** The reasons for which proofs are refused, by which metrics count them. */
export const laneRefusals = ['missing', 'wrong', 'stale', 'repeated'] as const;
/**
 * Why a proof is refused.
 *
 * - `missing`: there is none, or it is unreadable.
 * - `wrong`: it has another token, turn or address.
 * - `stale`: it was made longer ago than clocks may differ.
 * - `repeated`: it has been used before.
 */
export type LaneRefusal = (typeof laneRefusals)[number];

const REFUSALS: Readonly<Record<LaneRefusal, string>> = {
  missing: 'Expected a proof of this installation (Orion-Lane …)',
  wrong: 'The proof is of another installation, turn or gateway address',
  stale: 'The proof is too old, or the clocks of worker and gateway differ by more than 5 minutes',
  repeated: 'The proof has been used before',
};

/** Returns the refusal in words, for the writer and for the log. */
export const refusalText = (refusal: LaneRefusal): string => REFUSALS[refusal];

/** The epoch that a proof is good for, or why it is refused. */
export type LaneVerdict =
  { readonly ok: true; readonly epoch: number } | { readonly ok: false; readonly refusal: LaneRefusal };

/** Judges the proofs for one gateway, and remembers those it accepted for as long as they would be good. */
export class LaneVerifier {
  readonly #token: string;
  readonly #address: string;
  readonly #now: () => number;
  /** Nonces of the present window of time and of the one before: together at least as long as a proof lives. */
  #used = new Set<string>();
  #usedBefore = new Set<string>();
  #windowEnds = 0;

  constructor(token: string, address: string, now: () => number = Date.now) {
    this.#token = token;
    this.#address = address;
    this.#now = now;
  }

  /** Judges a proof. `turnId` is as in the claim. */
  verify(text: string | undefined, turnId: string | null): LaneVerdict {
    const parts = PROOF.exec(text ?? '')?.groups;
    if (parts === undefined) return { ok: false, refusal: 'missing' };
    const { nonce = '', proof = '' } = parts;
    const at = Number(parts['at']);
    const epoch = Number(parts['epoch']);
    const expected = digest(this.#token, { turnId, epoch, address: this.#address }, at, nonce);
    if (!timingSafeEqual(expected, Buffer.from(proof, 'base64url'))) return { ok: false, refusal: 'wrong' };
    if (Math.abs(this.#now() - at) > MAX_SKEW_MS) return { ok: false, refusal: 'stale' };
    if (!this.#useNonce(nonce)) return { ok: false, refusal: 'repeated' };
    return { ok: true, epoch };
  }

  /**
   * Uses a nonce up. Returns false for one that was used before. Only valid proofs get here, so that nobody without the
   * token can make this set grow.
   */
  #useNonce(nonce: string): boolean {
    this.#turnWindow();
    if (this.#used.has(nonce) || this.#usedBefore.has(nonce)) return false;
    this.#used.add(nonce);
    return true;
  }

  #turnWindow(): void {
    const now = this.#now();
    if (now < this.#windowEnds) return;
    // Proofs of a clock that is ahead by the skew are good for twice as long.
    const windowMs = 2 * MAX_SKEW_MS;
    this.#usedBefore = now < this.#windowEnds + windowMs ? this.#used : new Set();
    this.#used = new Set();
    this.#windowEnds = now + windowMs;
  }
}
