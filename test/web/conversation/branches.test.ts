/**
 * Checks that the page shows one branch of a tree of turns, the same whether it was watched as it grew or loaded
 * afresh.
 */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DEFAULT_OPTIONS } from '../../../src/web/composer/message-options.ts';
import { branchOf, lastTurnOf } from '../../../src/web/conversation/branches.ts';
import type { Exchange, HistoryItem } from '../../../src/web/conversation/history.ts';

const turn = (turnId: string, parentTurnId: string | null, fields: Partial<Exchange> = {}): Exchange => ({
  kind: 'exchange',
  turnId,
  parentTurnId,
  message: turnId,
  options: DEFAULT_OPTIONS,
  ...fields,
});
const unsent = (turnId: string, parentTurnId: string | null, isBeside = false): Exchange => {
  const message = { turnId, projectId: 'p', conversationId: 'c', content: turnId, ...DEFAULT_OPTIONS };
  return turn(turnId, parentTurnId, { unsent: { message, isBeside } });
};
const note: HistoryItem = { kind: 'note', id: 'n', content: 'A note' };
const shown = (items: readonly HistoryItem[], turnId?: string): string =>
  branchOf(items, turnId)
    .map((item) => (item.kind === 'note' ? 'note' : `${item.turnId}/${item.versions.join('')}`))
    .join(' ');

describe('a branch', () => {
  const tree = [turn('a', null), turn('b', 'a'), note, turn('c', 'b'), turn('d', 'a'), turn('e', null)];

  it('is that of the newest turn, where the address names none or an unknown one', () => {
    expect(shown(tree)).toBe('note e/ae');
    expect(shown(tree, 'elsewhere')).toBe('note e/ae');
    expect(shown([], 'a')).toBe('');
  });

  it('is that of the turn of the address, with the newest that goes on from it', () => {
    expect(shown(tree, 'b')).toBe('a/ae b/bd note c/c');
    expect(shown(tree, 'a')).toBe('a/ae note d/bd');
  });

  it('begins with the first turn that was read', () => {
    expect(shown(tree.slice(1), 'c')).toBe('b/bd note c/c');
  });

  it('ends with the last turn that the gateway has accepted', () => {
    expect(lastTurnOf(branchOf(tree, 'b'))).toBe('c');
    expect(lastTurnOf(branchOf([...tree, unsent('f', 'e')], 'f'))).toBe('e');
    expect(lastTurnOf([])).toBeUndefined();
  });

  it('has the messages that the gateway has not accepted below it, as versions of nothing, whichever branch it is', () => {
    const refused = [...tree, unsent('f', 'b'), turn('g', 'b')];
    expect(shown(refused, 'g')).toBe('a/ae b/bd note g/cg f/');
    expect(shown(refused, 'e')).toBe('note e/ae f/');
  });

  it('goes on to the turn that was in the way of its last message', () => {
    expect(shown([turn('a', null), turn('b', 'a'), unsent('c', 'a')], 'c')).toBe('a/a b/b c/');
    expect(shown([unsent('a', null), unsent('b', null)], 'b')).toBe('a/ b/');
    expect(shown([turn('a', null), unsent('b', null)], 'b')).toBe('a/a b/');
  });

  it('ends before the version that a message replaces', () => {
    expect(shown([...tree, unsent('f', 'a', true)], 'f')).toBe('a/ae note f/');
    expect(shown([...tree, unsent('f', null, true)], 'f')).toBe('note f/');
  });
});

/** Turns `0`, `1` …, each of which goes on from an earlier one or from none. */
const anyTree = fc.array(fc.nat(), { minLength: 1, maxLength: 30 }).map((draws) =>
  draws.map((draw, index) => {
    const parent = draw % (index + 1);
    return turn(String(index), parent === index ? null : String(parent));
  }),
);

it('of any tree one chain is shown, from a first turn to a last one, and versions lead to every turn', () => {
  fc.assert(
    fc.property(anyTree, fc.nat(), (items, draw) => {
      const sought = items[draw % items.length];
      const branch = branchOf(items, sought?.turnId).filter((item) => item.kind === 'exchange');
      expect(branch.map(({ turnId }) => turnId)).toContain(sought?.turnId);
      expect(branch.map(({ parentTurnId }) => parentTurnId)).toEqual([
        null,
        ...branch.slice(0, -1).map(({ turnId }) => turnId),
      ]);
      const last = branch.at(-1);
      expect(items.some(({ parentTurnId }) => parentTurnId === last?.turnId)).toBe(false);
      const seen = new Set<string>();
      const walk = (turnId: string | undefined): void => {
        for (const item of branchOf(items, turnId)) {
          if (item.kind === 'note' || seen.has(item.turnId)) continue;
          seen.add(item.turnId);
          for (const version of item.versions) walk(version);
        }
      };
      walk(undefined);
      expect(seen.size).toBe(items.length);
    }),
  );
});
