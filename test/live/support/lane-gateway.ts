import { createServer, type Server, type ServerOptions } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Router } from 'express';
import type { Log } from '../../../src/base/log.ts';
import type { EventBatch } from '../../../src/contracts/wire/event-batch.ts';
import type { LaneControl } from '../../../src/contracts/wire/live-lane.ts';
import type { ToolOutput } from '../../../src/contracts/wire/tool-output.ts';
import type { LaneReceiver } from '../../../src/live/lane-receiver.ts';
import type { LaneRefusal } from '../../../src/live/http/lane-proof.ts';
import { createLaneRouter } from '../../../src/live/http/lane-router.ts';

export const TOKEN = 'token-of-this-installation-0123456789';

/** Records what the gateway is told, and lets a test wait for it. */
export class RecordingReceiver implements LaneReceiver {
  readonly calls: string[] = [];
  readonly outputs: string[] = [];
  readonly controls: ((control: LaneControl) => void)[] = [];
  /** The controls of the connected writers, by turn and epoch. */
  readonly #writers = new Map<string, (control: LaneControl) => void>();
  readonly #counts = { opened: 0, batch: 0, closed: 0 };
  readonly #batches = new Map<string, EventBatch[]>();
  readonly #waiting = new Set<() => void>();

  opened(turnId: string, epoch: number, send: (control: LaneControl) => void): void {
    this.controls.push(send);
    this.#writers.set(`${turnId} ${epoch}`, send);
    this.#called('opened', `${turnId} ${epoch}`);
  }

  batch(turnId: string, batch: EventBatch): void {
    const batches = this.#batches.get(turnId) ?? [];
    batches.push(batch);
    this.#batches.set(turnId, batches);
    this.#called('batch', `${turnId} ${batch.epoch}-${batch.seq}`);
  }

  output(turnId: string, output: ToolOutput): void {
    this.outputs.push(`${turnId} ${output.stream}: ${output.content}`);
    this.#look();
  }

  closed(turnId: string, epoch: number): void {
    this.#writers.delete(`${turnId} ${epoch}`);
    this.#called('closed', `${turnId} ${epoch}`);
  }

  batches(turnId: string): EventBatch[] {
    return this.#batches.get(turnId) ?? [];
  }

  seqs(turnId: string): number[] {
    return this.batches(turnId).map(({ seq }) => seq);
  }

  /** Returns the words of a turn in the order in which they first came. */
  words(turnId: string): string[] {
    const words = new Map<string, string>();
    for (const { epoch, seq, events } of this.batches(turnId)) {
      for (const [index, event] of events.entries()) {
        const id = `${epoch}-${seq + index}`;
        if (typeof event === 'string' && !words.has(id)) words.set(id, event);
      }
    }
    return [...words.values()];
  }

  /** Sends a control to all connected writers of a turn. */
  send(turnId: string, control: LaneControl): void {
    for (const [writer, send] of this.#writers) if (writer.startsWith(`${turnId} `)) send(control);
  }

  /** Returns how many calls of this kind there were. */
  count(kind: 'opened' | 'batch' | 'closed'): number {
    return this.#counts[kind];
  }

  /** Resolves once `holds` returns true; it is called after every call of the receiver. */
  until(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (!holds()) return;
        this.#waiting.delete(check);
        resolve();
      };
      this.#waiting.add(check);
      check();
    });
  }

  #called(kind: 'opened' | 'batch' | 'closed', what: string): void {
    this.calls.push(`${kind} ${what}`);
    this.#counts[kind] += 1;
    this.#look();
  }

  #look(): void {
    for (const check of this.#waiting) check();
  }
}

export class RecordingLog implements Pick<Log, 'warn'> {
  readonly lines: string[] = [];

  warn(_details: object, message: string): void {
    this.lines.push(message);
  }
}

export interface GatewayOptions {
  readonly port?: number;
  readonly receiver?: LaneReceiver;
  readonly log?: Pick<Log, 'warn'>;
  readonly maxSilenceMs?: number;
  readonly server?: ServerOptions;
}

export interface Gateway {
  readonly address: string;
  readonly port: number;
  readonly server: Server;
  readonly receiver: RecordingReceiver;
  /** The reasons for which writers were refused, in order. */
  readonly refusals: LaneRefusal[];
  /** Gives writers this address instead of the gateway's own; call it before the first request. */
  reachedAt(address: string): void;
  /** Cuts every connection, as `kill -9` would. */
  kill(): Promise<void>;
  /** Stops as on SIGTERM; resolves when the last connection has ended by itself. */
  stop(): Promise<void>;
}

/** Starts a gateway that serves only the lane. */
export const startGateway = async (options: GatewayOptions = {}): Promise<Gateway> => {
  const receiver = new RecordingReceiver();
  const { log, maxSilenceMs } = options;
  const closing = new AbortController();
  const app = express();
  const refusals: LaneRefusal[] = [];
  let reached: string | undefined;
  const openRouter = (): Router =>
    createLaneRouter({
      token: TOKEN,
      address: reached ?? address,
      receiver: options.receiver ?? receiver,
      closing: closing.signal,
      onRefused: (refusal) => void refusals.push(refusal),
      ...(log && { log }),
      ...(maxSilenceMs !== undefined && { maxSilenceMs }),
    });
  let router: Router | undefined;
  app.use((req, res, next) => void (router ??= openRouter())(req, res, next));
  const server = createServer(options.server ?? {}, app);
  await new Promise<void>((resolve) => void server.listen(options.port ?? 0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const address = `http://127.0.0.1:${port}`;
  const reachedAt = (other: string): void => void (reached = other);
  const kill = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  const stop = () =>
    new Promise<void>((resolve) => {
      closing.abort();
      server.close(() => resolve());
    });
  return { address, port, server, receiver, refusals, reachedAt, kill, stop };
};
