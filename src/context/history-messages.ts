import { CHARACTERS_PER_TOKEN, type ModelMessage } from '../contracts/model-message.ts';
import { storedSteerSchema } from '../contracts/steering.ts';
import { replacedTextSchema } from '../contracts/write-session.ts';
import { withLines } from '../write-session/replaced-text.ts';

/** A reply as it is stored. Only a turn's own reply has a `turnId`; metadata of a note is whatever a client sent. */
interface StoredReply {
  readonly content: string;
  readonly turnId?: string | null;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/**
 * The text of a reply, between two places of it, for later prompts: where it was a file, a line says so
 * (docs/write-sessions.md "In a turn"). The stored message keeps the whole text.
 */
const withoutFiles = ({ content, turnId, metadata }: StoredReply, from: number, to: number): string => {
  const part = content.slice(from, to);
  if (turnId === undefined || turnId === null) return part;
  const replaced = replacedTextSchema.array().safeParse(metadata?.['writeSessions']);
  if (!replaced.success) return part;
  const within = replaced.data.filter((range) => range.from >= from && range.to <= to);
  return withLines(
    part,
    within.map((range) => ({ ...range, from: range.from - from, to: range.to - from })),
  );
};

/** A stored message, as far as the model is concerned. */
export interface HistoryEntry extends StoredReply {
  readonly sender: 'user' | 'orion' | 'system';
  /** Only a message into a running turn has one. */
  readonly steerId?: string | null;
}

type Said = Pick<HistoryEntry, 'sender' | 'content'>;

/**
 * The messages in the order in which they were said: those into a running turn stand where its reply had got to, and
 * are left out where the model has not read them, since their author has them back.
 */
const inOrderSaid = (entries: readonly HistoryEntry[]): Said[] => {
  const steers = entries.filter(({ steerId = null }) => steerId !== null);
  return entries.flatMap((entry): Said[] => {
    const { sender, content, turnId = null, steerId = null } = entry;
    if (steerId !== null) return [];
    if (sender !== 'orion' || turnId === null) return [{ sender, content }];
    let at = 0;
    const said: Said[] = [];
    for (const steer of steers.filter((one) => one.turnId === turnId)) {
      const placed = storedSteerSchema.safeParse(steer.metadata?.['steer']).data;
      if (!placed?.applied) continue;
      said.push({ sender, content: withoutFiles(entry, at, placed.position) });
      said.push({ sender: 'user', content: steer.content });
      at = placed.position;
    }
    return [...said, { sender, content: withoutFiles(entry, at, content.length) }];
  });
};

type Turn = Extract<ModelMessage, { role: 'user' | 'assistant' }>;

const LEFT_OUT: Turn = { role: 'user', content: '[Earlier messages of this conversation are left out.]' };
/** Stands for a reply without text, so that two messages of the user do not look like one. */
const NO_REPLY: Turn = { role: 'assistant', content: '[no answer]' };

/**
 * Turns stored messages, oldest first, into those that go before the user's current message: user and assistant
 * in turn, ending with assistant. The oldest are dropped, marked by one line, when they exceed `tokenBudget`
 * (by `CHARACTERS_PER_TOKEN`).
 */
export const historyMessages = (entries: readonly HistoryEntry[], tokenBudget: number): ModelMessage[] => {
  const spoken = inOrderSaid(entries).filter(({ content }) => content !== '');
  const kept = withinBudget(spoken, tokenBudget);
  const turns = kept.length < spoken.length ? [LEFT_OUT, ...kept.map(toTurn)] : kept.map(toTurn);
  const history = turns.reduce(joinSpeaker, []);
  return history.at(-1)?.role === 'user' ? [...history, NO_REPLY] : history;
};

/** The newest entries that fit. What comes before one that does not fit is dropped too: no holes. */
const withinBudget = (entries: readonly Said[], tokenBudget: number): readonly Said[] => {
  let characters = CHARACTERS_PER_TOKEN * tokenBudget;
  const lastDropped = entries.findLastIndex(({ content }) => {
    characters -= content.length;
    return characters < 0;
  });
  return entries.slice(lastDropped + 1);
};

/**
 * Notes with sender `system` come over the same API as every message: in a system message they could overrule
 * ours.
 */
const toTurn = ({ sender, content }: Said): Turn => {
  if (sender === 'orion') return { role: 'assistant', content };
  return { role: 'user', content: sender === 'system' ? `[note] ${content}` : content };
};

/** Some providers refuse two messages of one role in a row. */
const joinSpeaker = (turns: readonly Turn[], next: Turn): Turn[] => {
  const last = turns.at(-1);
  if (last?.role !== next.role) return [...turns, next];
  return [...turns.slice(0, -1), { role: next.role, content: `${last.content}\n\n${next.content}` }];
};
