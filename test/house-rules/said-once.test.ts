/**
 * A constant that two files need is declared by one of them. Two constants that mean different things and only happen
 * to be equal stay two; they are listed below with what each one means.
 */
import { expect, it } from '@jest/globals';
import { sourceOf, WITHOUT_MIGRATIONS } from '../support/repository-files.ts';

/**
 * Matches a constant at the top level of a file. It ends at a semicolon after which the next line that is not empty is
 * not indented.
 */
const DECLARED = /^(?:export )?const (\w+)(?:: [^=\n]+)? =\s+([^]*?);\n(?!\n* )/gm;

/**
 * Constants that are equal by chance, or for a reason that a file shares with no other, and what each of them means.
 */
const ONLY_EQUAL: Readonly<Record<string, string>> = {
  FIRST_BACKOFF_MS: 'signals, Redis',
  FIRST_PAUSE_MS: 'news from Postgres, MCP servers, news in a browser',
  FRESH_MS: 'readiness, free space, the count of running turns',
  MAX_BYTES: 'the file of approvals, the instructions of a project',
  MAX_CHARACTERS: 'a reason of a provider, a detail of a trace',
  MAX_DEPTH: 'JSON, folders',
  MAX_ENTRIES: 'history of the command line, files for people, files for a model',
  MAX_PAGES: 'workers, tools of an MCP server',
  MAX_PAUSE_MS: 'large bodies, MCP servers',
  MAX_TRIES: 'conflicts of turns, conflicts of write sessions',
  MAX_WAITING: 'large bodies, lists',
  MAX_WAIT_MS: 'a draft, a large body',
  PAGE_SIZE: 'messages, blocks of a prompt; conversations on the page, input requests in a terminal',
  PAUSE_MS: 'a lock, a slot, reading from an MCP server',
  POLL_MS: 'processes that end, a server that starts; processes of a command, lost workers',
  QUERY_DEADLINE_MS: 'a client that asks Temporal, the hub that asks whatever source it has',
  port: 'threads: each has its own',
  root: 'the checkout: setup is read by every Node, before types can be stripped',
  run: 'a promise of `execFile`',
};

it('no two files declare the same constant with the same value, except those that are only equal by chance', () => {
  // A migration never changes, so it declares everything itself.
  const declared = WITHOUT_MIGRATIONS.flatMap((file) =>
    Array.from(sourceOf(file).matchAll(DECLARED), ([, name = '', value = '']) => ({
      name,
      what: `${name} = ${value.replace(/\s+/g, ' ')}`,
      file,
    })),
  );
  expect(declared.length).toBeGreaterThan(3_000);
  const twice = [...Map.groupBy(declared, ({ what }) => what).values()].filter((found) => found.length > 1);
  const names = new Set(twice.map(([first]) => first?.name ?? ''));
  expect(twice.filter(([first]) => ONLY_EQUAL[first?.name ?? ''] === undefined)).toEqual([]);
  expect(Object.keys(ONLY_EQUAL).filter((name) => !names.has(name))).toEqual([]);
});
