import type { Log } from '../../base/log.ts';
import type { Clock } from '../../base/timing/clock.ts';
import type { EventBatch } from '../../contracts/wire/event-batch.ts';
import type { LaneControl, LaneLine } from '../../contracts/wire/live-lane.ts';
import type { ToolOutput } from '../../contracts/wire/tool-output.ts';
import { batchTexts, bufferedLine, LaneBuffer } from '../lane-buffer.ts';
import type { LaneLink, LinkWriter } from './lane-link.ts';
import type { LanePublisher, LaneTarget } from '../lane.ts';
import { type LaneLimits, MAX_WAITING_OUTPUT } from '../lane-limits.ts';

export interface HttpLaneDeps {
  readonly link: LaneLink;
  /**
   * Returns a new proof that this writer may speak for its turn. Each connection needs its own, because a proof is good
   * only once.
   */
  prove(): string;
  readonly limits: LaneLimits;
  readonly clock: Pick<Clock, 'now' | 'after'>;
  readonly log: Pick<Log, 'warn'> | undefined;
}

/** Publishes the events of one writer over HTTP, on a channel of the connection that all turns of this worker share. */
export class HttpLanePublisher implements LanePublisher, LinkWriter {
  readonly #deps: HttpLaneDeps;
  readonly #target: LaneTarget;
  readonly #buffer: LaneBuffer;
  readonly #channel: number;
  readonly #stopped = Promise.withResolvers<void>();
  #state: 'open' | 'closing' | 'stopped' = 'open';
  /** Lines of output that wait to be written. */
  #outputs = '';
  /** True when this connection knows the channel, and has not been notified of its end. */
  #isOpened = false;

  constructor(deps: HttpLaneDeps, target: LaneTarget) {
    this.#deps = deps;
    this.#target = target;
    this.#buffer = new LaneBuffer(deps.limits, deps.link.unacknowledged);
    this.#channel = deps.link.join(this);
    deps.link.requestWrite(this);
  }

  get isHealthy(): boolean {
    const { clock, limits } = this.#deps;
    const { lateMs } = limits;
    const age = clock.now() - (this.#buffer.oldestAt ?? Infinity);
    return this.#state !== 'stopped' && age < lateMs && this.#deps.link.isHealthy(lateMs);
  }

  publish(batch: EventBatch, json?: readonly string[]): void {
    if (this.#state !== 'open') return;
    const now = this.#deps.clock.now();
    for (const { text, lastId } of batchTexts(batch, json)) {
      this.#buffer.push(bufferedLine(`{"channel":${this.#channel},"batch":${text}}\n`, lastId, now));
    }
    this.#deps.link.requestWrite(this);
  }

  output(output: ToolOutput): void {
    if (this.#state !== 'open' || !this.#deps.link.isConnected) return;
    if (this.#outputs.length > MAX_WAITING_OUTPUT) return;
    this.#outputs += this.#line({ output });
    this.#deps.link.requestWrite(this);
  }

  async close(): Promise<void> {
    if (this.#state === 'open') {
      this.#state = 'closing';
      // There is no point in waiting for a gateway that is known to be away.
      if (this.#deps.link.isConnected) this.#deps.link.requestWrite(this);
      else this.#stop();
    }
    const cancelDeadline = this.#deps.clock.after(this.#deps.limits.closeMs, () => this.#stop());
    await this.#stopped.promise;
    cancelDeadline();
  }

  takeUnwritten(maxBytes: number): string {
    const open = this.#isOpened ? '' : this.#line({ open: this.#openingLine() });
    const batches = this.#buffer.takeUnwritten(maxBytes);
    // Output must not overtake the batches before it.
    const outputs = this.hasUnwritten ? '' : this.#outputs;
    if (outputs !== '') this.#outputs = '';
    const isLast = this.#state === 'closing' && !this.hasUnwritten;
    this.#isOpened = !isLast;
    // The gateway answers neither the opening of a channel nor output, but this side expects an answer to every write.
    // So a ping is added, which the gateway answers.
    const ping = open + outputs !== '' && batches === '' && !isLast ? '\n' : '';
    return open + batches + outputs + ping + (isLast ? this.#line({ close: true }) : '');
  }

  get hasUnwritten(): boolean {
    return this.#buffer.hasUnwritten;
  }

  rewind(): void {
    this.#isOpened = false;
    this.#outputs = '';
    this.#buffer.rewind();
  }

  acknowledge(lastId: string): void {
    this.#buffer.acknowledge(lastId);
  }

  control(control: LaneControl): void {
    this.#target.onControl(control);
  }

  onConnectionLost(wasAccepted: boolean): void {
    if (this.#state === 'closing' && !wasAccepted) this.#stop();
  }

  onEnded(refusal?: string): void {
    this.#stop(refusal);
  }

  #stop(refusal?: string): void {
    if (this.#state === 'stopped') return;
    this.#state = 'stopped';
    this.#buffer.clear();
    this.#deps.link.leave(this.#channel, this.#isOpened && refusal === undefined);
    this.#stopped.resolve();
    if (refusal === undefined) return;
    const { address, turnId, epoch } = this.#target;
    const message = 'the gateway refused the live lane of a turn; text goes only by signals';
    this.#deps.log?.warn({ address, turnId, epoch, reason: refusal }, message);
  }

  #openingLine(): NonNullable<LaneLine['open']> {
    return { turnId: this.#target.turnId, proof: this.#deps.prove() };
  }

  #line(line: Omit<LaneLine, 'channel'>): string {
    return `${JSON.stringify({ channel: this.#channel, ...line })}\n`;
  }
}
