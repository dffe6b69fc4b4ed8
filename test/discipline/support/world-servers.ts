import { fileURLToPath } from 'node:url';
import type { ToolEffect } from '../../../src/contracts/tools/tool-call.ts';
import type { AgentTrace } from './trace.ts';

/** The command of an MCP server that serves the tools of some traces: `world-server.ts` under node. */
export interface WorldServer {
  readonly name: string;
  readonly args: readonly string[];
  /** The effects of the tools, which the configuration has to state because MCP cannot express that a tool polls. */
  readonly effects: Readonly<Record<string, ToolEffect>>;
}

const SERVER = fileURLToPath(new URL('world-server.ts', import.meta.url));
/** The number of traces that one server serves: a worker accepts at most 200 tools of a server. */
const TRACES_PER_SERVER = 60;

const serverOf = (number: number): string => `w${Math.floor(number / TRACES_PER_SERVER)}`;

/** Returns the servers of all traces, each trace in a world of its own. */
export const worldServers = (traces: readonly AgentTrace[]): WorldServer[] =>
  Array.from({ length: Math.ceil(traces.length / TRACES_PER_SERVER) }, (_, i) => {
    const [from, to] = [i * TRACES_PER_SERVER, (i + 1) * TRACES_PER_SERVER];
    const effects = traces
      .slice(from, to)
      .flatMap(({ tools }, n) => tools.map(({ name, effect }) => [`${from + n}-${name}`, effect] as const));
    return { name: `w${i}`, args: [SERVER, `${from}`, `${to}`], effects: Object.fromEntries(effects) };
  });

/** Returns the name under which the model knows a tool of the trace with this number; other names stay as they are. */
export const worldToolName = ({ tools }: AgentTrace, number: number, name: string): string =>
  tools.some((tool) => tool.name === name) ? `mcp__${serverOf(number)}__${number}-${name}` : name;
