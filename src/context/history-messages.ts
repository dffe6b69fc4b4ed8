import type { ModelMessage } from '../contracts/model-message.ts';
import { replacedTextSchema } from '../contracts/write-session.ts';
import { withLines } from '../write-session/replaced-text.ts';

/** A reply as it is stored. Only a turn's own reply has a `turnId`; metadata of a note is whatever a client sent. */
interface StoredReply {
  readonly content: string;
  readonly turnId?: string | null;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/**
 * The text of a reply for later prompts: where it was a file, a line says so (docs/write-sessions.md "In a turn"). The
 * stored message keeps the whole text.
 */
const withoutFiles = ({ content, turnId, metadata }: StoredReply): string => {
  if (turnId === undefined || turnId === null) return content;
  const replaced = replacedTextSchema.array().safeParse(metadata?.['writeSessions']);
  return replaced.success ? withLines(content, replaced.data) : content;
};

/** A stored message, as far as the model is concerned. */
export interface HistoryEntry extends StoredReply {
  readonly sender: 'user' | 'orion' | 'system';
}

type Turn = Extract<ModelMessage, { role: 'user' | 'assistant' }>;

const LEFT_OUT: Turn = { role: 'user', content: '[Earlier messages of this conversation are left out.]' };
/** Stands for a reply without text, so that two messages of the user do not look like one. */
const NO_REPLY: Turn = { role: 'assistant', content: '[no answer]' };

/**
 * Turns stored messages, oldest first, into those that go before the user's current message: user and assistant
 * in turn, ending with assistant. The oldest are dropped, marked by one line, when they exceed `tokenBudget`
 * (characters / 4).
 */
export function historyMessages(entries: readonly HistoryEntry[], tokenBudget: number): ModelMessage[] {
  const spoken = entries
    .filter(({ content }) => content !== '')
    .map(({ sender, ...reply }) => ({ sender, content: withoutFiles(reply) }));
  const kept = withinBudget(spoken, tokenBudget);
  const turns = kept.length < spoken.length ? [LEFT_OUT, ...kept.map(toTurn)] : kept.map(toTurn);
  const history = turns.reduce(joinSpeaker, []);
  return history.at(-1)?.role === 'user' ? [...history, NO_REPLY] : history;
}

/** The newest entries that fit. What comes before one that does not fit is dropped too: no holes. */
function withinBudget(entries: readonly HistoryEntry[], tokenBudget: number): readonly HistoryEntry[] {
  let characters = 4 * tokenBudget;
  const lastDropped = entries.findLastIndex(({ content }) => {
    characters -= content.length;
    return characters < 0;
  });
  return entries.slice(lastDropped + 1);
}

/**
 * Notes with sender `system` come over the same API as every message: in a system message they could overrule
 * ours.
 */
function toTurn({ sender, content }: HistoryEntry): Turn {
  if (sender === 'orion') return { role: 'assistant', content };
  return { role: 'user', content: sender === 'system' ? `[note] ${content}` : content };
}

/** Some providers refuse two messages of one role in a row. */
function joinSpeaker(turns: readonly Turn[], next: Turn): Turn[] {
  const last = turns.at(-1);
  if (last?.role !== next.role) return [...turns, next];
  return [...turns.slice(0, -1), { role: next.role, content: `${last.content}\n\n${next.content}` }];
}
