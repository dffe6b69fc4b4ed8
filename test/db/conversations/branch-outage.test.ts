/** Checks that a read of a branch fails as one when Postgres goes away between its queries. */
import { setImmediate as nextLoopIteration } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import {
  type DatabaseConnection,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import type { DatabaseSchema } from '../../../src/db/tables/schema.ts';
import { loadBranchUpTo } from '../../../src/db/conversations/branch.ts';

const unhandled: unknown[] = [];
const note = (reason: unknown): void => void unhandled.push(reason);
beforeEach(() => {
  unhandled.length = 0;
  process.on('unhandledRejection', note);
});
afterEach(() => void process.off('unhandledRejection', note));

/** A driver whose connections give these answers in turn. */
class AnsweringDriver extends DummyDriver {
  readonly #answers: (() => Promise<never>)[];

  constructor(answers: readonly (() => Promise<never>)[]) {
    super();
    this.#answers = [...answers];
  }

  override acquireConnection(): Promise<DatabaseConnection> {
    const executeQuery = this.#answers.shift() ?? (() => Promise.reject(new Error('expected no query')));
    return Promise.resolve({
      executeQuery,
      streamQuery: () => {
        throw new Error('expected no stream');
      },
    });
  }
}

it('a second query that is still open leaves no rejection that nobody handles', async () => {
  const later = Promise.withResolvers<never>();
  const now = () => Promise.reject(new Error('connection terminated'));
  const db = new Kysely<DatabaseSchema>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new AnsweringDriver([now, () => later.promise]),
      createIntrospector: (of) => new PostgresIntrospector(of),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
  const read = Promise.allSettled([loadBranchUpTo(db, 'turn')]);
  await nextLoopIteration();
  await nextLoopIteration();
  later.reject(new Error('connection terminated'));
  expect(await read).toMatchObject([{ status: 'rejected', reason: { message: 'connection terminated' } }]);
  await nextLoopIteration();
  expect(unhandled).toEqual([]);
});
