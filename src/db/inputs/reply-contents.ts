import { safeText } from '../../contracts/values/safe-text.ts';
import type { InputKind } from '../../contracts/wire/input-events.ts';
import type { Database } from '../connection/database.ts';

/** Names the n-th request of a turn, and the kind that it must have so that a text is stored for it. */
export interface InputRequestKey {
  readonly turnId: string;
  readonly n: number;
  readonly kind: InputKind;
}

/** The texts of replies that are too long for the history of a workflow, which holds a hash in their place. */
export interface ReplyContents {
  /**
   * Stores the text of a reply, if its request is of the given kind and not closed. A repeat changes nothing. Returns
   * whether this call has stored the text.
   */
  store(request: InputRequestKey, sha256: string, content: string): Promise<boolean>;
  /** Returns a stored text. Returns undefined if there is none with this hash. */
  find(turnId: string, sha256: string): Promise<string | undefined>;
}

/** Creates the store of reply texts in Postgres: `reply_contents`, by turn and hash. */
export const createReplyContents = (db: Database): ReplyContents => ({
  store: async ({ turnId, n, kind }, sha256, content) => {
    const row = await db
      .insertInto('reply_contents')
      .columns(['turn_id', 'sha256', 'content'])
      .expression(({ selectFrom, val }) =>
        selectFrom('input_requests')
          .select(['turn_id', val(sha256).as('sha256'), val(safeText(content)).as('content')])
          .where('turn_id', '=', turnId)
          .where('n', '=', n)
          .where('kind', '=', kind)
          .where('state', '<>', 'closed'),
      )
      .onConflict((conflict) => conflict.doNothing())
      .returning('sha256')
      .executeTakeFirst();
    return row !== undefined;
  },
  find: async (turnId, sha256) => {
    const row = await db
      .selectFrom('reply_contents')
      .select('content')
      .where('turn_id', '=', turnId)
      .where('sha256', '=', sha256)
      .executeTakeFirst();
    return row?.content;
  },
});
