import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { InputRequests } from '../../../src/gateway/ports/turn-controls.ts';

/** Input requests as the gateway reads them, and what only a test does to them. */
export interface InputListsUnderContract {
  readonly requests: Pick<InputRequests, 'find' | 'list'>;
  /** Has a new turn of that project ask whether it may write a file, and resolves to the id of the turn. */
  ask(projectId: string): Promise<string>;
  /** Has a person deny the only request of that turn. */
  deny(turnId: string): Promise<void>;
}

/** Describes what the gateway relies on when it shows input requests. `open` is called once in each test. */
export const describeInputLists = (name: string, open: () => InputListsUnderContract): void => {
  describe(`input requests to read: ${name}`, () => {
    it('are found by their turn and number, with their diff', async () => {
      const { requests, ask } = open();
      const projectId = randomUUID();
      const turnId = await ask(projectId);
      const row = await requests.find(turnId, 1);
      expect(row).toMatchObject({
        turnId,
        n: 1,
        projectId,
        kind: 'approval',
        state: 'open',
        default: 'deny',
      });
      expect(row).toMatchObject({ resolution: null, openedAt: expect.any(Date), closedAt: null });
      expect(row?.diff).toContain('+x');
      expect(await requests.find(turnId, 2)).toBeUndefined();
      expect(await requests.find('nobody', 1)).toBeUndefined();
    });

    it('are listed by project, in the order in which they were asked, without their diffs', async () => {
      const { requests, ask } = open();
      const [project, other] = [randomUUID(), randomUUID()];
      const turns = [await ask(project), await ask(other), await ask(project)];
      const list = async (projects: readonly string[] | undefined) => {
        const { rows } = await requests.list({ projects, state: undefined, limit: 1_000, offset: 0 });
        expect(rows.every(({ diff }) => diff === null)).toBe(true);
        return rows.map(({ turnId }) => turnId);
      };
      expect(await list([project])).toEqual([turns[0], turns[2]]);
      expect(await list([other, project])).toEqual(turns);
      expect(await list([])).toEqual([]);
      expect(await list(undefined)).toEqual(expect.arrayContaining(turns));
    });

    it('are closed by a reply, and listed by their state', async () => {
      const { requests, ask, deny } = open();
      const project = randomUUID();
      const [denied, waiting] = [await ask(project), await ask(project)];
      await deny(denied);
      const list = async (state: 'open' | 'closed' | undefined) => {
        const { rows } = await requests.list({ projects: [project], state, limit: 9, offset: 0 });
        return rows.map(({ turnId }) => turnId);
      };
      expect([await list('open'), await list('closed'), await list(undefined)]).toEqual([
        [waiting],
        [denied],
        [denied, waiting],
      ]);
      const row = await requests.find(denied, 1);
      expect(row).toMatchObject({
        state: 'closed',
        resolution: { reply: 'deny' },
        closedAt: expect.any(Date),
      });
    });

    it('come in pages, each of which says whether more follow', async () => {
      const { requests, ask } = open();
      const project = randomUUID();
      const turns = [await ask(project), await ask(project), await ask(project)];
      const page = async (offset: number) => {
        const { rows, hasMore } = await requests.list({
          projects: [project],
          state: 'open',
          limit: 2,
          offset,
        });
        return [rows.map(({ turnId }) => turnId), hasMore];
      };
      expect(await page(0)).toEqual([[turns[0], turns[1]], true]);
      expect(await page(1)).toEqual([[turns[1], turns[2]], false]);
      expect(await page(2)).toEqual([[turns[2]], false]);
      expect(await page(3)).toEqual([[], false]);
    });
  });
};
