// The traces again, their tools behind real MCP servers over stdio, the tool registry and the tool runner.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fileURLToPath } from 'node:url';
import type { ToolResult } from '../../src/contracts/tool-call.ts';
import type { Fate } from './player.ts';
import { type McpWorld, startMcp, stdioServer } from '../tools/mcp/mcp-world.ts';
import { playTrace, type TraceTools } from './play-trace.ts';
import { type Score, scoreTrace, tableOf } from './score.ts';
import { readTraces, type Trace } from './trace.ts';

const SERVER = fileURLToPath(new URL('world-server.ts', import.meta.url));
/** A worker takes 200 tools of a server. */
const TRACES_PER_SERVER = 60;

const traces = readTraces();
const serverOf = (number: number): string => `w${Math.floor(number / TRACES_PER_SERVER)}`;

const settings = Array.from({ length: Math.ceil(traces.length / TRACES_PER_SERVER) }, (_, i) => {
  const [from, to] = [i * TRACES_PER_SERVER, (i + 1) * TRACES_PER_SERVER];
  const effects = traces
    .slice(from, to)
    .flatMap(({ tools }, n) => tools.map(({ name, effect }) => [`${from + n}-${name}`, effect] as const));
  return stdioServer(`w${i}`, [SERVER, `${from}`, `${to}`], { effects: Object.fromEntries(effects) });
});

const fateOf = ({ success, result, error }: ToolResult): Fate => ({
  kind: 'ran',
  ok: success,
  content: success ? String(result) : (error ?? ''),
});

const mcpTools = (mcp: McpWorld, { tools, mode }: Trace, number: number): TraceTools => ({
  nameOf: (name) =>
    tools.some((tool) => tool.name === name) ? `mcp__${serverOf(number)}__${number}-${name}` : name,
  executor: (told) => ({
    describe: (name) => mcp.describe(name),
    executeToolCalls: async (calls) => {
      const results: ToolResult[] = [];
      for (const { function: asked } of calls) {
        const args = asked.arguments.trim() === '' ? {} : (JSON.parse(asked.arguments) as object);
        const result = await mcp.call(asked.name, args, mode);
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
  mcp = await startMcp(settings, 30_000, { connectMs: 30_000, startPatienceMs: 30_000, pingMs: 500 });
  for (const [number, trace] of traces.entries()) {
    scores.push(scoreTrace(trace, await playTrace(trace, mcpTools(mcp, trace, number))));
  }
}, 120_000);
afterAll(() => mcp.pool.close());

const share = (list: readonly Score[], test: (score: Score) => boolean): number =>
  list.filter(test).length / list.length;

describe('tool discipline behind MCP servers, 25 cycles', () => {
  it('plays every trace', () => {
    process.stdout.write(`${tableOf(scores)}\n`);
    expect(scores).toHaveLength(172);
  });

  it('ends at least 99 % of the loops within their bound', () => {
    const loops = scores.filter(({ label }) => label !== 'honest');
    const ended = share(loops, (score) => score.ended);
    process.stdout.write(`loops ended: ${(100 * ended).toFixed(1)} %\n`);
    expect(ended).toBeGreaterThanOrEqual(0.99);
  });

  it('harms at most 2 % of the honest work', () => {
    const honest = scores.filter(({ label }) => label !== 'spam');
    const harmed = honest.filter(({ harm }) => harm.length > 0);
    process.stdout.write(`honest work harmed: ${((100 * harmed.length) / honest.length).toFixed(1)} %\n`);
    process.stdout.write(harmed.map(({ id, harm }) => `${id}: ${harm.join(' ')}\n`).join(''));
    expect(harmed.length / honest.length).toBeLessThanOrEqual(0.02);
  });
});
