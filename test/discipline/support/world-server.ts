/**
 * Serves the tools of some traces over stdio, in plain JSON-RPC, as an MCP server. They are named `<number of the
 * trace>-<tool>`, and each trace has a world of its own. The arguments are the number of the first trace and the one
 * after the last.
 */
import { createInterface } from 'node:readline';
import { type Args, readTraces } from './trace.ts';
import { TraceWorld } from './trace-world.ts';

interface Request {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly name?: string; readonly arguments?: Args; readonly protocolVersion?: string };
}

const [from, to] = process.argv.slice(2).map(Number);
const traces = readTraces()
  .map((trace, number) => ({ trace, number, world: new TraceWorld(trace) }))
  .slice(from, to);

const tools = traces.flatMap(({ trace, number }) =>
  trace.tools.map(({ name, schema, hints }) => ({
    name: `${number}-${name}`,
    description: name,
    // The world checks arguments itself, as the tools of the traces do.
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(Object.keys(schema.properties).map((key) => [key, {}])),
    },
    annotations: hints ?? {},
  })),
);

const answerOf = ({ method, params }: Request): object => {
  if (method === 'tools/list') return { tools };
  if (method !== 'tools/call') {
    const protocolVersion = params?.protocolVersion;
    return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'worlds', version: '1' } };
  }
  const [number, ...name] = (params?.name ?? '').split('-');
  const world = traces.find((one) => one.number === Number(number))?.world;
  const outcome = world?.execute(name.join('-'), params?.arguments ?? {});
  return {
    content: [{ type: 'text', text: outcome?.content ?? 'no such trace' }],
    isError: outcome?.ok !== true,
  };
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const request = JSON.parse(line) as Request;
  if (request.id === undefined) return;
  const answer = { jsonrpc: '2.0', id: request.id, result: answerOf(request) };
  process.stdout.write(`${JSON.stringify(answer)}\n`);
});
