import { afterEach, expect, it } from '@jest/globals';
import type { McpServerSettings } from '../../../src/config/files/mcp-servers.ts';
import { startHttpMcp, type HttpMcpServer } from '../support/http-mcp-server.ts';
import { startMcp, type McpWorld } from '../support/mcp-world.ts';

let world: McpWorld | undefined;
const servers: HttpMcpServer[] = [];

afterEach(async () => {
  await world?.pool.close();
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const serverWith = async (name: string, tool: string): Promise<McpServerSettings> => {
  const server = await startHttpMcp({ tools: [{ name: tool, inputSchema: { type: 'object' } }] });
  servers.push(server);
  return {
    name,
    transport: { kind: 'http', url: server.url, headers: {} },
    effects: {},
    volatileFields: {},
    trustsAnnotations: false,
    timeoutMs: undefined,
  };
};

it('a call runs on its own server, although the names of another server and its tool join to the same text', async () => {
  world = await startMcp([await serverWith('a', 'b__c'), await serverWith('a__b', 'c')]);
  const [plain = '', hashed = ''] = world.names('act');
  expect(plain).toBe('mcp__a__b__c');
  expect(hashed).toMatch(/^mcp__a__b__c_[0-9a-f]{8}$/);
  expect(await world.call(plain, {})).toMatchObject({ success: true, result: 'did b__c' });
  expect(await world.call(hashed, {})).toMatchObject({ success: true, result: 'did c' });
});
