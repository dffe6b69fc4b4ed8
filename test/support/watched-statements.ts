import {
  PostgresQueryCompiler,
  type KyselyPlugin,
  type PluginTransformQueryArgs,
  type PluginTransformResultArgs,
  type QueryResult,
  type RootOperationNode,
  type UnknownRow,
} from 'kysely';

/**
 * Reports each statement before it is sent, by its first word and the first known table that it names. Says `prepared`
 * before the first word of a statement that connections prepare.
 */
export class WatchedStatements implements KyselyPlugin {
  readonly #watch: (statement: string) => void;

  constructor(watch: (statement: string) => void) {
    this.#watch = watch;
  }

  transformQuery({ node, queryId: _queryId }: PluginTransformQueryArgs): RootOperationNode {
    const { sql } = new PostgresQueryCompiler().compileQuery(node, { queryId: 'watched' });
    const table = /\b(write_sessions|trace_events|stored_bytes|turns)\b/.exec(sql)?.[1] ?? '';
    const [, mark, word] = /^\s*(?:\/\* (prepared) \*\/\s*)?(\S+)/.exec(sql) ?? [];
    this.#watch([mark, word, table].filter(Boolean).join(' '));
    return node;
  }

  transformResult({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    return Promise.resolve(result);
  }
}
