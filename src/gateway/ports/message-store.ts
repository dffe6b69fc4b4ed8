import type { ChatMessage, MessageQuery } from '../../contracts/http/messages.ts';
import type { Metadata } from '../../contracts/http/turns.ts';

export interface StoredMessage extends Omit<ChatMessage, 'createdAt' | 'metadata'> {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
}

/** A message that starts no turn. */
export interface NewNote {
  /** Within a project one id stores one note, however often it is posted. */
  readonly requestId: string;
  readonly projectId: string;
  readonly conversationId: string;
  readonly sender: 'orion' | 'system';
  readonly content: string;
  readonly metadata: Metadata;
}

/** Production: `src/db/message-repository.ts`. */
export interface MessageStore {
  /** Newest first; `total` counts all that match. */
  list(query: MessageQuery): Promise<{ readonly messages: readonly StoredMessage[]; readonly total: number }>;
  /** Undefined: none has been stored under this id. */
  findNote(projectId: string, requestId: string): Promise<StoredMessage | undefined>;
  /** `exists`: the message is the one stored before, which may say something else. */
  insertNote(
    note: NewNote,
  ): Promise<{ readonly kind: 'inserted' | 'exists'; readonly message: StoredMessage }>;
}

/** A stored message as clients see it. */
export const toChatMessage = ({ createdAt, ...message }: StoredMessage): ChatMessage => ({
  ...message,
  createdAt: createdAt.toISOString(),
});
