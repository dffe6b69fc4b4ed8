import { sql } from 'kysely';
import type { ProjectDay } from '../../contracts/turn/project-day.ts';
import type { Database } from '../connection/database.ts';

/**
 * Sums up the turns of a project by the UTC day on which they were started, oldest day first. It reads the last `days`
 * days, including today. A day without turns is left out.
 */
export type ListProjectDays = (projectId: string, days: number) => Promise<readonly ProjectDay[]>;

type StoredDay = Omit<Record<keyof ProjectDay, string>, 'day'> & { readonly day: string };

/**
 * Creates the reader of a project's days in Postgres. A running turn counts as one, without what is known only at its
 * end.
 */
export const createListProjectDays =
  (db: Database): ListProjectDays =>
  async (projectId, days) => {
    const { rows } = await sql<StoredDay>`
      select (started_at at time zone 'utc')::date::text as day,
        count(*) as turns,
        count(*) filter (where status = 'failed') as failed,
        coalesce(sum(cost), 0) as cost,
        coalesce(sum(wasted_cost), 0) as "wastedCost",
        count(*) filter (where ended_at is not null and cost is null) as unpriced,
        ${sumIn('usage', 'promptTokens')}, ${sumIn('usage', 'cachedTokens')},
        ${sumIn('usage', 'completionTokens')}, ${sumIn('waste', 'duplicatesRefused')},
        ${sumIn('waste', 'retriedTokens')}, ${sumIn('waste', 'discardedCharacters')}
      from turns
      where project_id = ${projectId}
        and started_at >= ((now() at time zone 'utc')::date - ${days - 1}::integer) at time zone 'utc'
      group by 1 order by 1`.execute(db);
    return rows.map(
      ({ day, ...sums }) =>
        ({
          day,
          ...Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, Number(sum)])),
        }) as ProjectDay,
    );
  };

const sumIn = (column: 'usage' | 'waste', name: keyof ProjectDay) =>
  sql`coalesce(sum((${sql.ref(column)} ->> ${sql.lit(name)})::numeric), 0) as ${sql.ref(name)}`;
