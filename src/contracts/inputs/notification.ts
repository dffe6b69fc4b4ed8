import type { InputActor, InputKind, ReplyName } from '../wire/input-events.ts';
import type { TurnStatus } from '../turn/turn-facts.ts';

/** The turn that a notification is about. */
interface NotifiedTurn {
  readonly turnId: string;
  readonly projectId: string;
  readonly conversationId: string;
}

/**
 * The input request that a notification is about. Its content stays here: a webhook gets no arguments, diff, message or
 * note.
 */
interface NotifiedInput extends NotifiedTurn {
  /** The id `<turn id>/<n>`. */
  readonly inputId: string;
  readonly kind: InputKind;
  readonly tool?: string;
  /** The file that would change. */
  readonly target?: string;
  /** Path of the request at any gateway: `/api/turns/<turn id>/inputs/<n>`. */
  readonly link: string;
}

/**
 * The messages to a webhook, as `type` and `data` of a Standard Webhooks message (docs/notifications.md). Times are in
 * ISO 8601.
 */
export type NotificationBody =
  | { readonly type: 'input.requested'; readonly data: NotifiedInput & { readonly expiresAt: string } }
  | {
      readonly type: 'input.resolved';
      readonly data: NotifiedInput & {
        readonly reply: ReplyName;
        readonly by: InputActor;
        readonly at: string;
      };
    }
  /** `reason` is the reason of `done`, or the code of `error`. */
  | {
      readonly type: 'turn.ended';
      readonly data: NotifiedTurn & {
        readonly status: TurnStatus;
        readonly reason: string;
        readonly link: string;
      };
    };

/** A message in the outbox, with the state of its delivery. */
export interface Notification {
  /**
   * The value of the header `webhook-id`. It is the same for every attempt, so that the receiver recognises a repeat.
   */
  readonly webhookId: string;
  readonly body: NotificationBody;
  readonly createdAt: Date;
  /**
   * `due` means that the message is still to be sent, and `sent` that the receiver has accepted it. `given_up` means
   * that no attempt succeeded, and that none follows.
   */
  readonly state: 'due' | 'sent' | 'given_up';
}
