/**
 * Checks that nobody blocks the event loop of a worker: each kind of input that people, models, files and MCP servers
 * can make large or malicious is fed in its worst form. The bound is far above the figures of `npm run bench -- --only
 * stalls`, and far below the cost of work that is not bounded.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { longestStall } from '../support/longest-stall.ts';
import { openHostileGround, WORST_CASES, type HostileGround } from '../support/worst-cases.ts';

const BAR_MS = 3_000;

describe('the event loop of a worker', () => {
  let ground: HostileGround;
  beforeAll(async () => {
    ground = await openHostileGround();
  });
  afterAll(() => ground.close());

  it.each(WORST_CASES)('goes on under $input: $what', async ({ run }) => {
    expect(await longestStall(() => run(ground))).toBeLessThan(BAR_MS);
  });

  it('is tested for each input that docs/tools.md names, and for no other', async () => {
    const page = await readFile(new URL('../../docs/tools.md', import.meta.url), 'utf8');
    const [, table = ''] = /^## Bounds\n([^]*?)(?=^## |$(?![^]))/m.exec(page) ?? [];
    const rows = [...table.matchAll(/^\| ([A-Z][^|]*?) +\|/gm)].map(([, input]) => input);
    expect(rows).toEqual([...new Set(WORST_CASES.map(({ input }) => input))]);
  });
});
