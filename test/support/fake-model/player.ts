import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate as nextLoopIteration, setTimeout as delay } from 'node:timers/promises';
import type { Gates } from './gates.ts';
import { timedText } from './responses.ts';
import type { Response, Step } from './script.ts';

type TimedStep = Extract<Step, { chunks: unknown }>;

/** Plays one scripted response; settles when it has been played or the client has left. */
export const play = async (script: Response, res: ServerResponse, gates: Gates): Promise<void> => {
  const left = new AbortController();
  res.once('close', () => left.abort());
  try {
    await new Player(script, res, gates, left.signal).play();
  } catch (error) {
    if (!left.signal.aborted) throw error;
  }
};

class Player {
  readonly #script: Response;
  readonly #res: ServerResponse;
  readonly #gates: Gates;
  readonly #left: AbortSignal;
  #sent = 0;
  #cut = 0;

  constructor(script: Response, res: ServerResponse, gates: Gates, left: AbortSignal) {
    this.#script = script;
    this.#res = res;
    this.#gates = gates;
    this.#left = left;
  }

  async play(): Promise<void> {
    const { delayMs = 0, status = 200, headers = {}, body, steps = [] } = this.#script;
    if (delayMs > 0) await delay(delayMs, undefined, { signal: this.#left });
    const payload = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
    const type = payload !== body || status !== 200 ? 'application/json' : 'text/event-stream; charset=utf-8';
    this.#res.writeHead(status, { 'content-type': type, ...headers });
    this.#res.flushHeaders();
    if (payload !== undefined) await this.#send(payload);
    for (const step of steps) await this.#step(step);
    this.#res.end();
  }

  async #step(step: Step): Promise<unknown> {
    if ('gate' in step) return this.#gates.pass(step.gate, this.#left);
    if ('waitMs' in step) return delay(step.waitMs, undefined, { signal: this.#left });
    if ('stall' in step) return once(this.#res, 'close');
    if ('reset' in step) return this.#reset();
    if ('flood' in step) return this.#flood(step.flood, step.times);
    if ('chunks' in step) return this.#timed(step);
    if ('raw' in step) return this.#send(step.raw);
    if ('comment' in step) return this.#send(`: ${step.comment}\n\n`);
    return this.#frame('done' in step ? '[DONE]' : JSON.stringify(frameOf(step)));
  }

  #frame(data: string): Promise<void> {
    const { lineEnd = '\n', dataPrefix = 'data: ' } = this.#script;
    return this.#send(`${dataPrefix}${data}${lineEnd}${lineEnd}`);
  }

  async #flood(unit: string, times: number): Promise<void> {
    const perWrite = Math.max(1, Math.floor(65_536 / unit.length));
    for (let sent = 0; sent < times; sent += perWrite) {
      await this.#send(unit.repeat(Math.min(perWrite, times - sent)));
    }
  }

  async #timed({ chunks, perSecond, paragraph = Infinity, first = 1 }: TimedStep): Promise<void> {
    const start = performance.now();
    const count = chunks === 'endless' ? Number.POSITIVE_INFINITY : chunks;
    for (let n = first; n < first + count; n += 1) {
      // Chunks are sent by a fixed timetable, so that late timers do not slow the stream down.
      const wait = start + ((n - first + 1) * 1000) / perSecond - performance.now();
      if (wait > 0) await delay(wait, undefined, { signal: this.#left });
      const text = timedText(n) + (n % paragraph === 0 ? '\n\n' : '');
      await this.#frame(JSON.stringify(frameOf({ text })));
    }
  }

  async #send(text: string): Promise<void> {
    const bytes = Buffer.from(text);
    if (!this.#script.cuts) return this.#write(bytes);
    for (let at = 0; at < bytes.length;) {
      const { cuts } = this.#script;
      const length = Math.max(1, cuts[this.#cut++ % cuts.length] ?? 1);
      await this.#write(bytes.subarray(at, at + length));
      await nextLoopIteration();
      at += length;
    }
  }

  async #write(bytes: Buffer): Promise<void> {
    this.#left.throwIfAborted();
    const room = (this.#script.resetAfterBytes ?? Number.POSITIVE_INFINITY) - this.#sent;
    this.#sent += bytes.length;
    if (!this.#res.write(bytes.subarray(0, room))) {
      await once(this.#res, 'drain', { signal: this.#left });
    }
    if (bytes.length >= room) await this.#reset();
  }

  /**
   * Resets the connection after a short pause: everything written before must have reached the client's socket, because
   * the reset would overtake it. Never resolves, so that no later step is played; rejects once the response has closed.
   */
  async #reset(): Promise<void> {
    await delay(5);
    this.#res.socket?.resetAndDestroy();
    await delay(60_000, undefined, { signal: this.#left, ref: false });
  }
}

type FrameStep = Extract<Step, { frame: unknown } | object>;

const frameOf = (step: FrameStep): unknown => {
  if ('frame' in step) return step.frame;
  if ('text' in step) return chunk([{ index: 0, delta: { content: step.text }, finish_reason: null }]);
  if ('calls' in step) return chunk([{ index: 0, delta: { tool_calls: step.calls }, finish_reason: null }]);
  if ('finish' in step) return chunk([{ index: 0, delta: {}, finish_reason: step.finish }]);
  if ('reasoning' in step) {
    const { field = 'reasoning_content', reasoning } = step;
    return chunk([{ index: 0, delta: { content: null, [field]: reasoning }, finish_reason: null }]);
  }
  if ('usage' in step) {
    const { prompt, completion } = step.usage;
    const usage = { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
    return { ...chunk([]), usage };
  }
  throw new Error(`unknown step: ${JSON.stringify(step)}`);
};

const chunk = (choices: readonly unknown[]) => ({
  id: 'chatcmpl-fake',
  object: 'chat.completion.chunk',
  created: 1_700_000_000,
  model: 'fake',
  choices,
});
