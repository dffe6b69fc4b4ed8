/** Tests how a command finds the turn that a person means, and shows all that happened in it while it goes on. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readTraces } from '../../src/cli/commands/trace-command.ts';
import { resolveTurn } from '../../src/cli/turn/resolve-turn.ts';
import type { CliContext } from '../../src/cli/command-context/cli-context.ts';
import { GatewayRefusedError } from '../../src/cli/http/gateway-failures.ts';
import { nearestName } from '../../src/base/text/nearest-name.ts';
import type { TraceEvent } from '../../src/contracts/http/trace-api.ts';
import { partOf } from '../support/part-of.ts';

const retry = { attempts: 1, delayMs: 0, sleep: () => Promise.resolve(), report: () => undefined };

describe('a turn is found', () => {
  const ids = ['abc-1', 'abd-2', 'xyz-3'];
  const said: string[] = [];
  const context = (known: readonly string[]) =>
    partOf<CliContext>({
      retry,
      config: { projectId: 'p' },
      screen: { report: (line: string) => said.push(line), reportDimmed: (line: string) => said.push(line) },
      turns: {
        readStatus: (turnId: string) =>
          known.includes(turnId)
            ? Promise.resolve({ turnId })
            : Promise.reject(
                new GatewayRefusedError(404, { error: `No turn ${turnId}.`, code: 'turn_not_found' }),
              ),
        listTurns: (_project: string, limit: number) =>
          Promise.resolve({ turns: known.slice(0, limit).map((turnId) => ({ turnId, title: 'why' })) }),
      },
    });
  const found = async (given: string | undefined, known: readonly string[] = ids) => {
    said.length = 0;
    const resolved = await resolveTurn(context(known), given);
    return resolved.kind === 'turn' ? resolved.turn.turnId : resolved.code;
  };

  it('by its id, by a beginning that no other has, or as the newest one', async () => {
    expect(await found('abd-2')).toBe('abd-2');
    expect(await found('x')).toBe('xyz-3');
    expect(await found(undefined)).toBe('abc-1');
    expect(said).toEqual(['turn abc-1 · why']);
  });

  it('not where a beginning matches none or several, which are listed', async () => {
    expect(await found('ab')).toBe(2);
    expect(said.join('\n')).toMatch(/2 turns:\n {2}abc-1 {2}why\n {2}abd-2/);
    await expect(found('q')).rejects.toThrow('No turn q.');
    expect(await found(undefined, [])).toBe(1);
  });
});

it('a trace that grows while it is read comes whole, in order and once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 40 }),
      fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 1, max: 7 }),
      async (first, growth, pageSize) => {
        let total = first;
        let looks = 0;
        const list = ({ offset = 0 }: { offset?: number }) => {
          const end = Math.max(0, total - offset);
          const ids = Array.from({ length: end }, (_, i) => String(i)).slice(Math.max(0, end - pageSize));
          const page = { events: ids.map((id) => ({ id }) as TraceEvent), total, nextOffset: null };
          total += growth[looks++] ?? 0;
          return Promise.resolve(page);
        };
        const read = await readTraces(
          { retry, traces: { list } },
          { projectId: 'p', turnId: 't', limit: pageSize },
        );
        const seen = read.map(({ id }) => Number(id));
        expect(seen).toEqual(Array.from({ length: seen.length }, (_, i) => i));
        expect(seen.length).toBe(first);
      },
    ),
  );
});

it('a mistyped name is distinguished from another word', () => {
  const names = ['sessions', 'attach', 'write', 'ORION_PORT'];
  expect(nearestName('sesions', names)).toBe('sessions');
  expect(nearestName('attahc', names)).toBe('attach');
  expect(nearestName('ORION_PORTT', names)).toBe('ORION_PORT');
  expect(nearestName('write', names)).toBeUndefined();
  expect(nearestName('hello', names)).toBeUndefined();
  expect(nearestName('', names)).toBeUndefined();
});
