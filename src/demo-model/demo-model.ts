import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { foreignRequestProblem } from '../base/hosts/foreign-request.ts';
import { parseJson } from '../contracts/values/parse-json.ts';
import { DEMO_MODEL } from '../config/settings/model-provider.ts';
import { chatRequestSchema } from './chat-request.ts';
import { completionOf, framesOf, wholeCompletion } from './completion-frames.ts';
import { PIECES_PER_SECOND } from './long-text.ts';
import { nextMove } from './next-move.ts';
import { MIB } from '../contracts/values/units.ts';

const MAX_BODY_BYTES = 32 * MIB;

interface DemoModelOptions {
  /** The port to listen on. 0 or absent means any free port. */
  readonly port?: number;
  /** Number of frames of an answer that are sent per second. Absent means `PIECES_PER_SECOND`. */
  readonly framesPerSecond?: number;
}

/** A refusal of a request, which is answered in the form of OpenAI's errors. */
class DemoRefusalError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * Starts the demo model on loopback: an OpenAI-compatible server that needs no key (docs/turns.md "Model adapter").
 * Rejects when the port is taken.
 */
export const startDemoModel = async (
  options: DemoModelOptions = {},
): Promise<{ port: number; close(): void }> => {
  const framesPerSecond = options.framesPerSecond ?? PIECES_PER_SECOND;
  const server = createServer((req, res) => {
    serve(req, res, framesPerSecond).catch((error: unknown) => sendFailure(res, error));
  });
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { port: (server.address() as AddressInfo).port, close };
};

const serve = async (req: IncomingMessage, res: ServerResponse, framesPerSecond: number): Promise<void> => {
  const problem = foreignRequestProblem(req);
  if (problem !== undefined) throw new DemoRefusalError(403, problem);
  const path = (req.url ?? '/').split('?')[0]?.replace(/^\/v1/, '');
  if (path === '/models') {
    return sendJson(res, 200, {
      object: 'list',
      data: [{ id: DEMO_MODEL, object: 'model', created: 0, owned_by: 'orion' }],
    });
  }
  if (path !== '/chat/completions') throw new DemoRefusalError(404, `Unknown path: ${path}`);
  if (req.method !== 'POST') throw new DemoRefusalError(405, `Expected POST, received ${req.method}`);
  const request = chatRequestSchema.safeParse(parseBody(await readRequestText(req)));
  if (!request.success) throw new DemoRefusalError(400, z.prettifyError(request.error));
  const completion = completionOf(nextMove(request.data), request.data);
  if (!request.data.stream) return sendJson(res, 200, wholeCompletion(completion));
  await sendFrames(
    res,
    framesOf(completion, request.data.stream_options?.include_usage === true),
    framesPerSecond,
  );
};

const readRequestText = async (req: IncomingMessage): Promise<string> => {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of req as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MAX_BODY_BYTES) {
      throw new DemoRefusalError(413, `The request is longer than ${MAX_BODY_BYTES} bytes`);
    }
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
};

const parseBody = (body: string): unknown => {
  const parsed = parseJson(body);
  if (parsed === undefined) throw new DemoRefusalError(400, 'The request body is not valid JSON');
  return parsed;
};

/** Sends the frames at a fixed rate, until the last one or until the client disconnects. */
const sendFrames = async (
  res: ServerResponse,
  frames: Iterable<object>,
  framesPerSecond: number,
): Promise<void> => {
  res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  const start = performance.now();
  let sent = 0;
  for (const frame of frames) {
    // Each frame has a fixed time, so that late timers do not slow the answer down.
    const wait = start + (sent++ * 1000) / framesPerSecond - performance.now();
    if (wait > 0) await delay(wait);
    if (res.destroyed) return;
    res.write(`data: ${JSON.stringify(frame)}\n\n`);
  }
  res.end('data: [DONE]\n\n');
};

const sendFailure = (res: ServerResponse, error: unknown): void => {
  if (res.headersSent || res.destroyed) {
    res.destroy();
    return;
  }
  const { status, message } =
    error instanceof DemoRefusalError ? error : { status: 500, message: 'The demo model failed' };
  const type = status < 500 ? 'invalid_request_error' : 'server_error';
  // The rest of a refused body must not be read as the next request.
  res.setHeader('connection', 'close');
  sendJson(res, status, { error: { message, type, param: null, code: null } });
};

const sendJson = (res: ServerResponse, status: number, body: unknown): void => {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};
