import type { ModelMessage } from '../contracts/model/model-message.ts';
import { storedSteerSchema } from '../contracts/inputs/steering.ts';
import { replacedTextSchema } from '../contracts/write-session/write-session.ts';
import type { MessageOfTurn } from '../db/conversations/transcript-repository.ts';
import { NO_REPLY } from '../protocol/turn/turn-transcript.ts';
import { withLines } from '../write-session/replaced-text.ts';

type SpokenText = Pick<MessageOfTurn, 'sender' | 'content'>;

type SpokenMessage = Extract<ModelMessage, { role: 'user' | 'assistant' }>;

/**
 * Makes the transcript of a turn whose transcript is not stored, from its stored messages. User and assistant
 * alternate, and the assistant comes last. Empty if no message has a text.
 */
export const transcriptOfMessages = (entries: readonly MessageOfTurn[]): ModelMessage[] => {
  const spoken = inSpokenOrder(entries).filter(({ content }) => content !== '');
  const messages = spoken.map(toModelMessage).reduce(appendOrJoin, []);
  return messages.at(-1)?.role === 'user' ? [...messages, NO_REPLY] : messages;
};

/**
 * Returns the messages in the order in which they were said. A steer is placed where it interrupted the answer of its
 * turn. A steer that the model has not read is left out, since its author has got it back.
 */
const inSpokenOrder = (entries: readonly MessageOfTurn[]): SpokenText[] => {
  const steers = entries.filter(({ steerId }) => steerId !== null);
  return entries.flatMap((entry): SpokenText[] => {
    const { sender, content, steerId } = entry;
    if (steerId !== null) return [];
    if (sender !== 'orion') return [{ sender, content }];
    let index = 0;
    const parts: SpokenText[] = [];
    for (const steer of steers) {
      const placed = storedSteerSchema.safeParse(steer.metadata['steer']).data;
      if (!placed?.applied) continue;
      parts.push({ sender, content: withoutFiles(entry, index, placed.position) });
      parts.push({ sender: 'user', content: steer.content });
      index = placed.position;
    }
    return [...parts, { sender, content: withoutFiles(entry, index, content.length) }];
  });
};

/**
 * Returns the part of a turn's answer from character `from`, inclusive, to `to`, exclusive, as later prompts have it.
 * Each text of a file within that part is replaced by a line (docs/write-sessions.md "In a turn"). The stored message
 * keeps the whole text.
 */
const withoutFiles = ({ content, metadata }: MessageOfTurn, from: number, to: number): string => {
  const part = content.slice(from, to);
  const replaced = replacedTextSchema.array().safeParse(metadata['writeSessions']);
  if (!replaced.success) return part;
  const within = replaced.data.filter((range) => range.from >= from && range.to <= to);
  return withLines(
    part,
    within.map((range) => ({ ...range, from: range.from - from, to: range.to - from })),
  );
};

const toModelMessage = ({ sender, content }: SpokenText): SpokenMessage => ({
  role: sender === 'orion' ? 'assistant' : 'user',
  content,
});

/**
 * Appends a message, or joins it to the last message if both have the same role: some providers refuse two messages of
 * one role in a row.
 */
const appendOrJoin = (turns: readonly SpokenMessage[], next: SpokenMessage): SpokenMessage[] => {
  const last = turns.at(-1);
  if (last?.role !== next.role) return [...turns, next];
  return [...turns.slice(0, -1), { role: next.role, content: `${last.content}\n\n${next.content}` }];
};
