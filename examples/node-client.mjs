/**
 * A client in plain Node 20 or newer, with nothing to install: it asks one question, shows text and tools while they
 * come, and misses nothing when its connection, or a process of Orion, dies meanwhile.
 *
 *   node examples/node-client.mjs "List the files, then read README.md"
 *
 * `ORION_URL` and `ORION_API_KEY` lead to another gateway. The wire: docs/http-api.md "Resuming".
 */
import { setTimeout as delay } from 'node:timers/promises';

/**
 * @typedef {{ id: string, function: { name: string, arguments: string } }} ToolCall
 * @typedef {{ type: 'phase' | 'write_session' }
 *   | { type: 'chunk', content: string }
 *   | { type: 'tool_calls', calls: ToolCall[] }
 *   | { type: 'tool_result', callId: string, name: string, ok: boolean, durationMs: number, bytes: number }
 *   | { type: 'reset', fromSeq: number }
 *   | { type: 'done', status: string, reason: string }
 *   | { type: 'error', code: string, message: string }} TurnEvent
 */

const gatewayUrl = process.env['ORION_URL'] ?? 'http://127.0.0.1:5000';
const key = process.env['ORION_API_KEY'];
/** @type {Record<string, string>} */
const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` };

/**
 * The gateway asks for a second between tries (`retry: 1000`); a gateway that was restarted is back long before the
 * last try.
 */
const RETRY_MS = 1_000;
const MAX_TRIES = 30;

/**
 * Sends a request until it succeeds. Rejects when it is refused, or after `MAX_TRIES`. It is safe to send each request
 * of this client again, because the same `requestId` is the same turn.
 *
 * @param {string} path
 * @param {{ method?: string, headers?: Record<string, string>, body?: string }} init
 */
const request = async (path, init = {}) => {
  for (let tries = 1; ; tries += 1) {
    const headers = { ...authorization, ...init.headers };
    const response = await fetch(gatewayUrl + path, { ...init, headers }).catch(() => undefined);
    if (response?.ok) return response;
    const mayBeTemporary = response === undefined || response.status === 429 || response.status >= 500;
    if (!mayBeTemporary || tries === MAX_TRIES) {
      throw new Error(
        response ? await response.text() : `nobody answers at ${gatewayUrl}: is Orion running?`,
      );
    }
    await delay(RETRY_MS);
  }
};

/**
 * Yields the frames of a stream, each when its blank line has come. A frame that a cut leaves unfinished comes again
 * with the next stream; comments, which keep a silent connection open, have no data.
 *
 * @param {ReadableStream<Uint8Array>} body
 */
const framesOf = async function* (body) {
  let unfinished = '';
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const blocks = (unfinished + text).split('\n\n');
    unfinished = blocks.pop() ?? '';
    for (const block of blocks) {
      const id = /^id: (.*)$/m.exec(block)?.[1];
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (id !== undefined && data !== undefined) {
        yield { id, event: /** @type {TurnEvent} */ (JSON.parse(data)) };
      }
    }
  }
};

/**
 * Yields the events of a turn from the first to the last, over as many connections as it takes.
 *
 * @param {string} eventsUrl
 */
const eventsOf = async function* (eventsUrl) {
  /** @type {Record<string, string>} */
  let resume = {};
  for (;;) {
    const { status, body } = await request(eventsUrl, { headers: resume });
    if (status === 204 || body === null) return; // Every event has been delivered.
    try {
      for await (const frame of framesOf(body)) {
        resume = { 'last-event-id': frame.id };
        yield frame;
        if (frame.event.type === 'done' || frame.event.type === 'error') return;
      }
    } catch (error) {
      if (!(error instanceof TypeError)) throw error; // `fetch` reports a cut connection as a TypeError.
    }
    await delay(RETRY_MS);
  }
};

/**
 * Prints a text that comes from a model: of its control characters only line breaks and tabs may reach the terminal.
 *
 * @param {string} text
 */
const print = (text) => process.stdout.write(text.replaceAll(/[^\P{Cc}\n\t]/gu, '\ufffd'));

/**
 * @type {ToolCall[]} The calls of the newest answer; each `tool_calls` replaces the one before, as arguments arrive.
 */
let calls = [];

/** @param {TurnEvent} event */
const show = (event) => {
  switch (event.type) {
    case 'chunk':
      return print(event.content);
    case 'tool_calls':
      calls = event.calls;
      return undefined;
    case 'tool_result': {
      const callArguments = calls.find(({ id }) => id === event.callId)?.function.arguments ?? '';
      const outcome = `${event.ok ? '✓' : '✗'} ${event.name} ${callArguments}`;
      return print(`\n${outcome}: ${event.bytes} bytes in ${event.durationMs} ms\n\n`);
    }
    case 'error':
      return print(`\n✗ ${event.code}: ${event.message}\n`);
    case 'done':
      return print(`\n■ ${event.status}, ${event.reason}\n`);
    default: // Not shown are phases, write sessions, and whatever else Orion sends.
      return undefined;
  }
};

/** @param {string} content */
const ask = async (content) => {
  const body = JSON.stringify({ projectId: 'default', requestId: crypto.randomUUID(), content });
  const headers = { 'content-type': 'application/json' };
  const accepted = await request('/api/turns', { method: 'POST', headers, body });
  const { eventsUrl } = /** @type {{ eventsUrl: string }} */ (await accepted.json());

  /** @type {{ seq: number, event: TurnEvent }[]} The events that were not withdrawn. */
  let surviving = [];
  for await (const { id, event } of eventsOf(eventsUrl)) {
    if (event.type === 'reset') {
      // The events from `fromSeq` on are withdrawn, usually because a worker died and its call is repeated.
      surviving = surviving.filter(({ seq }) => seq < event.fromSeq);
      print('\n\n↺ once more, from the beginning\n\n');
      for (const earlier of surviving) show(earlier.event);
    } else {
      surviving.push({ seq: Number(id.split('-')[1]), event });
      show(event);
    }
  }
  const end = surviving.at(-1)?.event;
  return end?.type === 'done' && end.status === 'completed';
};

try {
  const question = process.argv.slice(2).join(' ');
  process.exitCode = (await ask(question)) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
