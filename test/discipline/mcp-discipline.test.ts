/**
 * The same traces are played with their tools behind real MCP servers over stdio, the tool registry and the tool
 * runner.
 */
import { afterAll, beforeAll, describe } from '@jest/globals';
import type { ToolResult } from '../../src/contracts/tools/tool-call.ts';
import type { Fate } from './support/player.ts';
import { type McpWorld, startMcp, stdioServer } from '../tools/support/mcp-world.ts';
import { playTrace, type TraceTools } from './support/play-trace.ts';
import { type Score, scoreTrace } from './support/score.ts';
import { itKeepsDiscipline } from './support/score-suite.ts';
import { readTraces, type AgentTrace } from './support/trace.ts';
import { worldServers, worldToolName } from './support/world-servers.ts';

const traces = readTraces();
const settings = worldServers(traces).map(({ name, args, effects }) => stdioServer(name, args, { effects }));

const fateOf = ({ success, result, error }: ToolResult): Fate => ({
  kind: 'ran',
  ok: success,
  content: success ? String(result) : (error ?? ''),
});

const mcpTools = (mcp: McpWorld, trace: AgentTrace, number: number): TraceTools => ({
  nameOf: (name) => worldToolName(trace, number, name),
  executor: (told) => ({
    describe: (name) => mcp.describe(name),
    executeToolCalls: async (calls) => {
      const results: ToolResult[] = [];
      for (const { function: asked } of calls) {
        const args = asked.arguments.trim() === '' ? {} : (JSON.parse(asked.arguments) as object);
        const result = await mcp.call(asked.name, args, trace.mode);
        told(fateOf(result));
        results.push(result);
      }
      return results;
    },
  }),
});

const scores: Score[] = [];
let mcp: McpWorld;

beforeAll(async () => {
  mcp = await startMcp(settings);
  for (const [number, trace] of traces.entries()) {
    scores.push(scoreTrace(trace, await playTrace(trace, mcpTools(mcp, trace, number))));
  }
}, 120_000);
afterAll(() => mcp.pool.close());

describe('tool discipline behind MCP servers, 25 cycles', () => {
  itKeepsDiscipline(scores);
});
