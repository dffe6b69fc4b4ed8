import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import type { Gates } from './gates.ts';
import { play } from './player.ts';
import type { RequestLog } from './request-log.ts';
import type { ChatRequest, RuleBook } from './rule-book.ts';
import type { Response, Rule } from './script.ts';

export interface FakeParts {
  readonly book: RuleBook;
  readonly gates: Gates;
  readonly log: RequestLog;
  readonly respond: ((request: ChatRequest) => Response | undefined) | undefined;
}

/**
 * Creates the server of the fake model: chat completions by script, and the routes over which another process writes
 * the script.
 */
export const createFakeServer = (parts: FakeParts): Server =>
  createServer((req, res) => {
    const served = req.url?.endsWith('/chat/completions') ? chat(parts, req, res) : control(parts, req, res);
    served.catch((error: unknown) => res.headersSent || res.writeHead(500).end(String(error)));
  });

const chat = async (
  { book, gates, log, respond }: FakeParts,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> => {
  const body = (await json(req)) as ChatRequest;
  log.add(body, req.headers, res);
  await play(respond?.(body) ?? book.take(body), res, gates);
};

interface ControlBody {
  readonly rules?: readonly Rule[];
  readonly gate?: string;
}

const control = async (parts: FakeParts, req: IncomingMessage, res: ServerResponse): Promise<void> => {
  const body = (req.method === 'POST' ? await json(req) : {}) as ControlBody;
  res.end(JSON.stringify(runControl(parts, req.url ?? '', body) ?? {}));
};

const runControl = (
  { book, gates, log }: FakeParts,
  path: string,
  { rules = [], gate = '' }: ControlBody,
): unknown => {
  switch (path) {
    case '/__requests':
      return log.all.map(({ closed: _, ...request }) => request);
    case '/__script':
      return book.add(rules);
    case '/__release':
      return gates.release(gate);
    case '/__clear':
      return [book, gates, log].forEach((part) => part.clear());
    default:
      throw new Error(`unknown path ${path}`);
  }
};
