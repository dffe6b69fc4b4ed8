/**
 * A small MCP server over HTTP whose answers a test may replace. It is plain JSON-RPC, because no library would
 * misbehave.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface McpRequest {
  readonly id?: number;
  /** The method; absent when the client answers a request of the server. */
  readonly method?: string;
  readonly params?: { readonly name?: string; readonly protocolVersion?: string };
}

export interface HttpMcpServer {
  readonly url: string;
  /** The requests that the server got, with their headers. */
  readonly requests: { readonly method: string | undefined; readonly headers: IncomingMessage['headers'] }[];
  close(): Promise<void>;
}

export interface HttpMcpOptions {
  readonly tools?: readonly object[];
  /** Answers by itself and returns true, or leaves the answer to the server. */
  readonly answer?: (response: ServerResponse, request: McpRequest, path: string) => boolean;
}

const resultOf = ({ method, params }: McpRequest, tools: readonly object[]): object => {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'http', version: '1' },
      };
    case 'tools/list':
      return { tools };
    case 'tools/call':
      return { content: [{ type: 'text', text: `did ${params?.name}` }] };
    default:
      return {};
  }
};

export const startHttpMcp = async ({ tools = [], answer }: HttpMcpOptions = {}): Promise<HttpMcpServer> => {
  const requests: HttpMcpServer['requests'] = [];
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const message = JSON.parse(await text(request)) as McpRequest;
    requests.push({ method: message.method, headers: request.headers });
    if (answer?.(response, message, request.url ?? '') === true) return;
    if (message.id === undefined) return void response.writeHead(202).end();
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: resultOf(message, tools) }));
  };
  const server: Server = createServer((request, response) => void handle(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    requests,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
