import { once } from 'node:events';
import {
  Agent,
  createServer,
  request,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { foreignRequestProblem } from '../../base/hosts/foreign-request.ts';
import type { LoopbackAddress } from './ports.ts';

export interface GuardProxyOptions {
  /** The host at which the guard listens. */
  readonly host: string;
  readonly port: number;
  /** The address of the guarded server, which nothing else should find. */
  readonly target: LoopbackAddress;
  /** Values of `Host` that are accepted in addition to those of loopback, as in ORION_ALLOWED_HOSTS. */
  readonly allowedHosts: readonly string[];
  /** The name of the guarded server, for the message that it does not answer. */
  readonly serverName: string;
}

/** Headers that belong to one connection, whether `Connection` names them or not (RFC 9110, section 7.6.1). */
const HOP_BY_HOP = ['connection', 'keep-alive', 'proxy-connection', 'te', 'transfer-encoding', 'upgrade'];
/**
 * Headers that are forwarded even if `Connection` names them. Without them the server would see another host, or
 * another end of the body.
 */
const END_TO_END = ['host', 'content-length'];

/**
 * Listens on behalf of a server without authentication. It refuses requests with 403 as `foreignRequestProblem` says,
 * such as those of foreign web pages, and forwards all others. Upgrades are not offered. Rejects when it cannot listen.
 */
export const startGuardProxy = async (options: GuardProxyOptions): Promise<{ close(): void }> => {
  const agent = new Agent({ keepAlive: true });
  const listener: RequestListener = (req, res) => {
    const problem = foreignRequestProblem(req, options.allowedHosts);
    if (problem === undefined) return forward(req, res, options, agent);
    sendText(res, 403, problem);
  };
  const server = createServer(listener);
  server.listen(options.port, options.host);
  await once(server, 'listening');
  return {
    close() {
      server.close();
      server.closeAllConnections();
      agent.destroy();
    },
  };
};

const forward = (
  req: IncomingMessage,
  res: ServerResponse,
  options: GuardProxyOptions,
  agent: Agent,
): void => {
  const { target, serverName } = options;
  const headers = forwardedHeaders(req);
  // A body of unknown length is forwarded in chunks, too.
  if (req.headers['transfer-encoding'] !== undefined) headers.push('Transfer-Encoding', 'chunked');
  const path = req.url ?? '/';
  const outgoing = request({ ...target, method: req.method ?? 'GET', path, headers, agent });
  outgoing.once('response', (response) => {
    res.writeHead(response.statusCode ?? 502, response.statusMessage, forwardedHeaders(response));
    response.pipe(res);
    response.once('error', () => res.destroy());
  });
  outgoing.once('error', () => sendText(res, 502, `${serverName} does not answer.`));
  res.once('close', () => outgoing.destroy());
  req.pipe(outgoing);
};

/**
 * Returns the headers to forward. Names and values alternate as in Node's raw headers, so that a repeated header stays
 * repeated.
 */
const forwardedHeaders = ({ headers, rawHeaders }: IncomingMessage): string[] => {
  const named = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase());
  const dropped = new Set([...HOP_BY_HOP, ...named.filter((name) => !END_TO_END.includes(name))]);
  return rawHeaders.filter((_, index) => !dropped.has(rawHeaders[index - (index % 2)]?.toLowerCase() ?? ''));
};

const sendText = (res: ServerResponse, status: number, text: string): void => {
  if (res.headersSent) return void res.destroy();
  res
    .writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' })
    .end(`${text}\n`);
};
