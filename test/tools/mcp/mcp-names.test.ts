import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { mcpToolName } from '../../../src/tools/mcp/mcp-names.ts';

type ServerAndTool = readonly [server: string, tool: string];

it('a name that can have only one owner is the names of server and tool', () => {
  expect(mcpToolName('fs', 'read_file')).toBe('mcp__fs__read_file');
  expect(mcpToolName('my_server-2', '_look__up_')).toBe('mcp__my_server-2___look__up_');
});

it('a name that providers refuse is changed or cut, and ends in a hash', () => {
  expect(mcpToolName('my.server', 'look')).toBe('mcp__my_server__look_3c2988a4');
  expect(mcpToolName('fs', 'x'.repeat(80))).toMatch(/^mcp__fs__x{46}_[0-9a-f]{8}$/);
});

/** Returns all servers and tools whose names, joined by `__`, are the text. */
const ownersOf = (joined: string): readonly ServerAndTool[] =>
  Array.from({ length: joined.length }, (_, at) => at)
    .filter((at) => at > 0 && joined.startsWith('__', at))
    .map((at): ServerAndTool => [joined.slice(0, at), joined.slice(at + 2)])
    .filter(([server]) => /^[A-Za-z0-9_.-]{1,32}$/.test(server));

it('tools of different servers, and different tools of one server, have different names', () => {
  const joined = fc
    .array(fc.constantFrom('a', 'b', '_', '__', '.', '/', '_0123abcd', 'x'.repeat(60)), { minLength: 2 })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(joined, (text) => {
      const owners = ownersOf(text);
      // A server may also call its tool what another one's name has become.
      const twins = owners.flatMap((owner) => ownersOf(mcpToolName(...owner).slice('mcp__'.length)));
      const pairs = new Map([...owners, ...twins].map((pair) => [JSON.stringify(pair), pair]));
      const names = Array.from(pairs.values(), (pair) => mcpToolName(...pair));
      expect(new Set(names).size).toBe(names.length);
      expect(names.filter((name) => !/^[A-Za-z0-9_-]{1,64}$/.test(name))).toEqual([]);
    }),
    { numRuns: 1_000 },
  );
});
