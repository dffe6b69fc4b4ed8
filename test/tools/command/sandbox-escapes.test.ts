/**
 * What a command may try to get out of its sandbox, each seen to work without one where that is harmless: an attempt
 * that cannot succeed would prove nothing.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { CommandHost } from '../../../src/tools/command/command-host.ts';
import { type Attempt, ATTEMPTS, DONE } from './support/escape-attempts.ts';
import { FILES, openWorld, runIn, type World } from './support/sandbox-world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());
beforeEach(() => world.reset());

const contentOf = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};

/** Everything that an attempt may show: what it says, and what has become of the files. */
const traceOf = async (host: CommandHost, { command }: Attempt): Promise<string> => {
  const { text } = await runIn(host, world, command(world));
  const changed = FILES.filter((file) => contentOf(join(world.base, file)).includes(DONE));
  return [text, ...changed.map((file) => `${file}: ${DONE}`)].join('\n');
};

it('tries at least 200 ways, each of them once', () => {
  expect(ATTEMPTS.length).toBeGreaterThanOrEqual(200);
  expect(new Set(ATTEMPTS.map(({ name }) => name)).size).toBe(ATTEMPTS.length);
});

describe('in the sandbox none gets out', () => {
  it.each(ATTEMPTS)('$name', async (attempt) => {
    expect(await traceOf(world.sandboxed, attempt)).not.toContain(attempt.shows);
    expect(world.isVictimRunning()).toBe(true);
  });

  it('and nobody was reached over a network', () => {
    expect(world.connections()).toBe(0);
  });
});

describe('without it each does', () => {
  it.each(ATTEMPTS.filter(({ onlyInside }) => onlyInside === undefined))('$name', async (attempt) => {
    expect(await traceOf(world.bare, attempt)).toContain(attempt.shows);
  });
});
