import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import type { CommitApproval } from '../../contracts/write-session/session-messages.ts';
import type { ContentRef } from '../../contracts/write-session/write-session.ts';
import type { BegunSession, KeepOutcome } from '../ports/write-session-port.ts';
import type { Turn } from './turn.ts';

/**
 * The decision about a commit that needs an approval. `failed` means that the commit cannot be made, so that nobody was
 * asked.
 */
export type CommitDecision =
  | { readonly kind: 'authorized'; readonly approval: CommitApproval }
  | { readonly kind: 'denied'; readonly reason: string }
  | (KeepOutcome & { readonly kind: 'failed' });

/**
 * Decides about the commit of one session, whose content is already kept as its draft. It may ask a person and wait.
 */
export type AuthorizeCommit = (
  turn: Turn,
  session: BegunSession,
  content: ContentRef,
) => AsyncGenerator<TurnEvent, CommitDecision, undefined>;
