import type { ChatMessage, MessageQuery } from '../../contracts/http/message-api.ts';
import type { TurnMetadata } from '../../contracts/http/turn-api.ts';

/** A message of a conversation, whoever wrote it. */
export interface StoredMessage extends Omit<ChatMessage, 'createdAt' | 'metadata'> {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
}

/** A message that is stored and starts no turn. */
export interface NewNote {
  /** Within a project one id stores one note, however often it is posted. */
  readonly requestId: string;
  readonly projectId: string;
  readonly conversationId: string;
  readonly sender: 'orion' | 'system';
  readonly content: string;
  readonly metadata: TurnMetadata;
}

/**
 * Messages of conversations as the gateway reads and stores them. Production:
 * `src/db/conversations/message-repository.ts`.
 */
export interface MessageStore {
  /** Newest first; `total` counts all that match. */
  list(query: MessageQuery): Promise<{ readonly messages: readonly StoredMessage[]; readonly total: number }>;
  /** Returns the note that is stored under this id; undefined when there is none. */
  findNote(projectId: string, requestId: string): Promise<StoredMessage | undefined>;
  /** `exists`: a message is stored already under this id, which may say something else. */
  insertNote(
    note: NewNote,
  ): Promise<{ readonly kind: 'inserted' | 'exists'; readonly message: StoredMessage }>;
}

/** A stored message as clients see it. */
export const toChatMessage = ({ createdAt, ...message }: StoredMessage): ChatMessage => ({
  ...message,
  createdAt: createdAt.toISOString(),
});
