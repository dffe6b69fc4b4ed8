import type { Generated } from 'kysely';
import type { NotificationBody } from '../../contracts/inputs/notification.ts';
import type { Json, Timestamp } from './column-types.ts';

/** Messages to the webhook, including those that were sent and those that were given up. */
export interface OutboxTable {
  /** `<turn id>/ended`, `<input id>/requested` or `<input id>/resolved`. */
  webhook_id: string;
  turn_id: string;
  body: Json<NotificationBody>;
  state: Generated<'due' | 'sent' | 'given_up'>;
  /** Time of the event that the message reports. */
  started_at: Timestamp;
  /** Time from which a sweeper looks at the message, if it is still `due`. */
  due_at: Timestamp;
}
