import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { PREPARED } from '../../../src/db/connection/prepared-statement.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase({ maxConnections: 1 });
});
afterEach(() => database.close());

const divide = async (by: number): Promise<number | undefined> => {
  const { rows } = await sql<{ of: number }>`${PREPARED} select 12 / ${by}::integer as of`.execute(
    database.db,
  );
  return rows[0]?.of;
};

/** Returns the statements that the only connection has prepared. */
const namedStatements = async (): Promise<readonly string[]> => {
  const { rows } = await sql<{ statement: string }>`select statement from pg_prepared_statements`.execute(
    database.db,
  );
  return rows.map(({ statement }) => statement);
};

it('a marked statement is prepared once, and runs with new values each time', async () => {
  expect([await divide(3), await divide(4), await divide(6)]).toEqual([4, 3, 2]);
  expect(await namedStatements()).toEqual(['/* prepared */ select 12 / $1::integer as of']);
});

it('a marked statement that has failed runs again, also the first time', async () => {
  await expect(divide(0)).rejects.toThrow('division by zero');
  expect([await divide(3), await divide(4)]).toEqual([4, 3]);
});

it('other statements leave nothing on the connection', async () => {
  await sql`select ${1}::integer`.execute(database.db);
  expect(await namedStatements()).toEqual([]);
});
