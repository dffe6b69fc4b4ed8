import {
  PostgresQueryCompiler,
  type KyselyPlugin,
  type PluginTransformQueryArgs,
  type PluginTransformResultArgs,
  type QueryResult,
  type RootOperationNode,
  type UnknownRow,
} from 'kysely';

/** Reports each statement before it is sent, by its first word and the first known table that it names. */
export class WatchedStatements implements KyselyPlugin {
  readonly #watch: (statement: string) => void;

  constructor(watch: (statement: string) => void) {
    this.#watch = watch;
  }

  transformQuery({ node, queryId: _queryId }: PluginTransformQueryArgs): RootOperationNode {
    const { sql } = new PostgresQueryCompiler().compileQuery(node, { queryId: 'watched' });
    const table = /\b(write_sessions|trace_events|stored_bytes|turns)\b/.exec(sql)?.[1] ?? '';
    this.#watch(`${sql.trim().split(/\s/, 1)[0]} ${table}`.trim());
    return node;
  }

  transformResult({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    return Promise.resolve(result);
  }
}
