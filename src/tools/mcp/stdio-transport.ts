import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import {
  deserializeMessage,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';
import { LF } from '../../base/text/ascii.ts';
import type { McpTransportSettings } from '../../config/files/mcp-servers.ts';
import type { MessageMeter } from './message-meter.ts';
import { ReadSincePause, type ReadingThrottle } from './reading-throttle.ts';

/** Time in milliseconds between the end of the server's input and SIGTERM, and between SIGTERM and SIGKILL. */
const PATIENCE_MS = 2_000;

type StdioSettings = McpTransportSettings & { kind: 'stdio' };
type ServerProcess = ChildProcessByStdio<Writable, Readable, Readable>;

export interface StdioDeps {
  readonly meter: MessageMeter;
  readonly throttle: ReadingThrottle;
  /** Takes the text that the server writes to its stderr. */
  readonly onStderr: (text: string) => void;
  /** Called when a message exceeds the meter's limits, or when the output cannot be read. The server is then killed. */
  readonly onCut: (reason: Error) => void;
}

/**
 * The connection to an MCP server that is a child process, with one message per line. It replaces the SDK's own
 * transport, which reads as fast as a server writes, and accepts a message with any number of keys.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #settings: StdioSettings;
  readonly #deps: StdioDeps;
  #child: ServerProcess | undefined;

  constructor(settings: StdioSettings, deps: StdioDeps) {
    this.#settings = settings;
    this.#deps = deps;
  }

  /** Starts the server. Resolves when its program runs, and rejects when it cannot be started. */
  async start(): Promise<void> {
    const { command, args, env, cwd } = this.#settings;
    const child: ServerProcess = spawn(command, args, {
      // The server gets its own variables and the harmless ones of a login, never the worker's keys.
      env: { ...getDefaultEnvironment(), ...env },
      cwd,
      stdio: 'pipe',
    });
    child.on('error', (error) => this.onerror?.(error));
    child.on('close', () => {
      this.#child = undefined;
      this.onclose?.();
    });
    // This must come first, because a child that could not be started may have no streams.
    await once(child, 'spawn');
    child.stdin.on('error', (error) => this.onerror?.(error));
    // Read in any case, since a server blocks when its stderr is not read.
    child.stderr.on('data', (data: Buffer) => this.#deps.onStderr(data.toString('utf8')));
    this.#child = child;
    void this.#read(child);
  }

  /** Sends a message, and waits until the server takes more or ends. Rejects when the server has ended before. */
  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (!stdin?.writable) throw new Error('the MCP server has ended');
    if (stdin.write(serializeMessage(message))) return;
    const waiting = new AbortController();
    const { signal } = waiting;
    const first = Promise.race([once(stdin, 'drain', { signal }), once(stdin, 'close', { signal })]);
    // Without the abort, each message that has to wait would leave the listeners of the other event behind.
    await first.finally(() => waiting.abort());
  }

  /** Closes the server's input, and kills the server if it does not end by itself. */
  async close(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined) return;
    const closed = new Promise<true>((resolve) => child.once('close', () => resolve(true)));
    child.stdin.end();
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (await Promise.race([closed, delay(PATIENCE_MS, false, { ref: false })])) return;
      child.kill(signal);
    }
  }

  async #read(child: ServerProcess): Promise<void> {
    const { throttle, onCut } = this.#deps;
    const lines = new Lines(this.#deps.meter);
    try {
      for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
        for (let rest = chunk; rest.length > 0;) {
          const taken = lines.take(rest);
          rest = rest.subarray(taken.bytes);
          if (this.#child !== child) break;
          for (const line of taken.lines) this.#deliver(line);
          if (lines.isPortionFull) await lines.pause(throttle);
        }
      }
    } catch (error) {
      // Killed at once. If it were asked to end, its output would be read for seconds, and the worker would do nothing
      // else.
      if (error instanceof Error) onCut(error);
      child.kill('SIGKILL');
    }
  }

  #deliver(line: string): void {
    try {
      this.onmessage?.(deserializeMessage(line));
    } catch (error) {
      // Other text between messages is skipped: programs write notes to their stdout.
      if (!(error instanceof SyntaxError)) this.onerror?.(error as Error);
    }
  }
}

/** Cuts bytes into lines, a portion at a time. Throws what the meter throws, once a line exceeds its limits. */
class Lines {
  readonly #meter: MessageMeter;
  readonly #portion = new ReadSincePause();
  #unfinishedLine: Buffer[] = [];

  constructor(meter: MessageMeter) {
    this.#meter = meter;
  }

  get isPortionFull(): boolean {
    return this.#portion.isFull;
  }

  async pause(throttle: ReadingThrottle): Promise<void> {
    this.#portion.reset();
    await throttle();
  }

  /**
   * Reads the chunk until the portion is full. Returns the lines that ended, and the number of bytes that were read:
   * the caller passes the rest after a pause.
   */
  take(chunk: Buffer): { readonly lines: readonly string[]; readonly bytes: number } {
    const lines: string[] = [];
    let from = 0;
    let index = 0;
    for (; index < chunk.length && !this.#portion.isFull; index += 1) {
      const byte = chunk[index] ?? LF;
      this.#meter.count(byte);
      this.#portion.addByte();
      if (byte !== LF) continue;
      this.#meter.endMessage();
      this.#portion.addMessage();
      lines.push(Buffer.concat([...this.#unfinishedLine, chunk.subarray(from, index)]).toString('utf8'));
      this.#unfinishedLine = [];
      from = index + 1;
    }
    this.#meter.check();
    if (from < index) this.#unfinishedLine.push(chunk.subarray(from, index));
    return { lines, bytes: index };
  }
}
