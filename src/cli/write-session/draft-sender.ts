import { z } from 'zod';
import { GatewayRefusedError } from '../http/gateway-failures.ts';
import type { WriteSessionClient } from '../http/write-session-client.ts';

const offsetSchema = z.object({ offset: z.number().int().nonnegative() });

/**
 * Sends content as drafts while it still comes in, so that it survives a crash of this machine and the session stays
 * alive. Drafts are only an insurance, because the finalize sends the whole content even if sending them fails.
 */
export class DraftSender {
  readonly #client: Pick<WriteSessionClient, 'addDraft'>;
  readonly #sessionId: string;
  #unsent: Uint8Array[] = [];
  #offset = 0;
  #isSending = false;
  #isDisabled = false;

  constructor(client: Pick<WriteSessionClient, 'addDraft'>, sessionId: string) {
    this.#client = client;
    this.#sessionId = sessionId;
  }

  /** Adds bytes of the content, which the next `flush` sends. Drops them once the gateway has refused a draft. */
  add(part: Uint8Array): void {
    if (!this.#isDisabled) this.#unsent.push(part);
  }

  /**
   * Sends what has not been sent. Only one request is under way at a time, since each names the offset of its chunk.
   * Never rejects.
   */
  async flush(): Promise<void> {
    if (this.#isSending || this.#isDisabled || this.#unsent.length === 0) return;
    this.#isSending = true;
    const chunk = Buffer.concat(this.#unsent);
    try {
      this.#onStored(chunk, (await this.#client.addDraft(this.#sessionId, this.#offset, chunk)).offset);
    } catch (error) {
      this.#onFailed(chunk, error);
    } finally {
      this.#isSending = false;
    }
  }

  /** Notes that the gateway has the first `offset` bytes of the content. */
  #onStored(chunk: Buffer, offset: number): void {
    const taken = offset - this.#offset;
    const later = Buffer.concat(this.#unsent).subarray(chunk.length);
    this.#offset = offset;
    this.#unsent = [chunk.subarray(taken), later].filter(({ length }) => length > 0);
  }

  /**
   * Handles a request that failed. When no response came, the next flush sends the same again. If only the response was
   * lost, the gateway then refuses the repeat with an offset that shows what it has stored. After any other refusal, no
   * more drafts are sent.
   */
  #onFailed(chunk: Buffer, error: unknown): void {
    if (!(error instanceof GatewayRefusedError)) return;
    const place = offsetSchema.safeParse(error.details);
    const offset = place.data?.offset ?? -1;
    if (offset > this.#offset && offset <= this.#offset + chunk.length) return this.#onStored(chunk, offset);
    this.#isDisabled = true;
    this.#unsent = [];
  }
}
