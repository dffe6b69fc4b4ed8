/** Checks that a server which hangs, crashes or lies ends in failed results of its own calls, and in nothing else. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MAX_MESSAGE_BYTES } from '../../../src/tools/mcp/message-meter.ts';
import { faultyServer, startMcp, type McpWorld } from '../support/mcp-world.ts';
import { eventually } from '../../support/eventually.ts';

let world: McpWorld;
const start = async (fault: string, timeoutMs?: number): Promise<McpWorld> => {
  world = await startMcp([faultyServer(fault)], timeoutMs);
  return world;
};

afterEach(() => world.pool.close());

describe('a faulty MCP server', () => {
  it('that never answers the handshake does not hold up the start, nor a call beyond its time limit', async () => {
    world = await startMcp([faultyServer('hang-on-start')], 500, {
      connectMs: 800,
      startPatienceMs: 300,
      pingMs: 1,
    });
    const { names, call } = world;
    expect(names('act')).toEqual([]);
    expect(await call('mcp__faulty__look', {})).toMatchObject({ success: false });
  });

  it('that hangs in a call costs a read its time limit, and a write is unknown', async () => {
    const { call } = await start('hang-on-call', 300);
    expect(await call('mcp__faulty__look', {})).toMatchObject({
      success: false,
      error: 'timed out after 0.3 s',
    });
    expect(await call('mcp__faulty__change', {})).toMatchObject({ success: false, error: 'OUTCOME_UNKNOWN' });
  });

  it('that dies in a call is started again for a read, and never called twice for a write', async () => {
    const { call } = await start('crash-on-call');
    expect(await call('mcp__faulty__look', {})).toMatchObject({
      success: false,
      attempts: 3,
      retryable: true,
    });
    expect(await call('mcp__faulty__change', {})).toMatchObject({
      success: false,
      attempts: 1,
      error: 'OUTCOME_UNKNOWN',
    });
  });

  it('that fails with an internal error may have changed something, unlike one that refuses the arguments', async () => {
    const failing = await start('internal-error');
    expect(await failing.call('mcp__faulty__look', {})).toMatchObject({
      error: expect.stringContaining('Internal error'),
    });
    expect(await failing.call('mcp__faulty__change', {})).toMatchObject({
      success: false,
      error: 'OUTCOME_UNKNOWN',
      details: expect.stringContaining('Internal error'),
    });
    await failing.pool.close();
    const refusing = await start('invalid-params');
    expect(await refusing.call('mcp__faulty__change', {})).toMatchObject({
      success: false,
      error: expect.stringContaining('Invalid params'),
    });
  });

  it('that sends more than a message may hold fails that call, and is asked again by the next', async () => {
    const { call } = await start('flood');
    const failed = { success: false, error: 'OUTCOME_UNKNOWN' };
    expect(await call('mcp__faulty__change', {})).toMatchObject(failed);
    expect(await call('mcp__faulty__change', {})).toMatchObject(failed);
  });

  it('that never stops flooding is ended before it fills the memory, whatever signals it ignores', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'orion-mcp-'));
    const written = join(folder, 'bytes');
    world = await startMcp([faultyServer('endless-flood', written)]);
    expect(await world.call('mcp__faulty__change', {})).toMatchObject({
      success: false,
      error: 'OUTCOME_UNKNOWN',
      details: expect.stringContaining(`an answer of the server was larger than ${MAX_MESSAGE_BYTES} bytes`),
    });
    // The server could not write more than what was read of it and what a pipe holds.
    expect(Number(await readFile(written, 'utf8'))).toBeLessThan(2 * MAX_MESSAGE_BYTES);
    await rm(folder, { recursive: true });
  });

  it('whose tool list never ends offers nothing', async () => {
    expect((await start('endless-pages')).names('act')).toEqual([]);
  });

  it('that writes rubbish between its messages is nevertheless understood', async () => {
    const { call } = await start('garbage');
    expect(await call('mcp__faulty__look', {})).toMatchObject({ success: true, result: 'did look' });
  });

  it('that lies about its tools offers acceptable names, each once, no huge schema and safe text', async () => {
    const { names, call, warnings } = await start('lying');
    const offered = names('act');
    expect(offered).toHaveLength(5);
    for (const name of offered) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(warnings).toEqual([
      { server: 'faulty', tool: 'look' },
      { server: 'faulty', tool: 'huge' },
    ]);
    expect(names('plan')).not.toContain('mcp__faulty__constructor');
    const { result } = await call('mcp__faulty__look', {});
    expect(String(result)).toBe('a\ufffdb\ufffd');
  });

  it('is replaced when it no longer answers anything', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'orion-mcp-'));
    const pidFile = join(folder, 'pid');
    world = await startMcp([faultyServer('stubborn', pidFile)], 200, {
      connectMs: 100_000,
      startPatienceMs: 100_000,
      pingMs: 500,
    });
    const first = await readFile(pidFile, 'utf8');
    await world.call('mcp__faulty__look', {});
    await eventually('another server', async () => (await readFile(pidFile, 'utf8')) !== first);
    await eventually('the end of the first', () => !existsSync(`/proc/${first}`));
    await rm(folder, { recursive: true });
  });
});
