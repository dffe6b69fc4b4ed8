/** Covers what the page takes from a turn's stream: whole events that it can read, by their ids. */
import { expect, it } from '@jest/globals';
import { createParser } from 'eventsource-parser';
import type { TurnEvent } from '../../../src/contracts/wire/turn-event.ts';
import type { ToolOutput } from '../../../src/contracts/wire/tool-output.ts';
import { StreamBuffer } from '../../../src/web/turn/stream-buffer.ts';

const frame = (id: string, event: object): string => `id: ${id}\ndata: ${JSON.stringify(event)}\n\n`;
const chunk = { type: 'chunk', content: 'Hello' } satisfies TurnEvent;
const done = {
  type: 'done',
  fullContent: 'Hello',
  status: 'completed',
  reason: 'answered',
  usage: { promptTokens: 1, completionTokens: 1 },
} satisfies TurnEvent;

/** Reads a stream that consists of this text. */
const read = (text: string) => {
  const outputs: ToolOutput[] = [];
  const part = new StreamBuffer(null, (output) => void outputs.push(output));
  createParser({ onEvent: (message) => part.push(message) }).feed(text);
  return { part, events: part.drain(), outputs };
};

it('hands over events under their ids, and what commands say', () => {
  const output: ToolOutput = { type: 'tool_output', callId: 'c', stream: 'stdout', content: 'hi' };
  const spoken = `data: ${JSON.stringify(output)}\n\n`;
  const { part, events, outputs } = read(frame('101-1', chunk) + spoken + frame('199-2', done));
  expect(part).toMatchObject({ failure: undefined, isOver: true, lastId: { epoch: 199, seq: 2 } });
  expect(part.drain()).toEqual([]);
  expect(events).toEqual([
    { id: { epoch: 101, seq: 1 }, event: chunk },
    { id: { epoch: 199, seq: 2 }, event: done },
  ]);
  expect(outputs).toEqual([output]);
});

it.each([
  ['of a type that it does not know', JSON.stringify({ type: 'hologram' })],
  ['without a field', JSON.stringify({ type: 'chunk' })],
  ['that is no JSON', '{"type":'],
])('ends with what it has at an event %s, and says so', (_what, data) => {
  const { part, events } = read(
    `${frame('101-1', chunk)}id: 101-2\ndata: ${data}\n\n${frame('199-3', done)}`,
  );
  expect(events.map(({ id }) => id)).toEqual([{ epoch: 101, seq: 1 }]);
  expect(part).toMatchObject({ isOver: false, lastId: { epoch: 101, seq: 1 } });
  expect(part.failure).toMatchObject({
    code: 'unreadable',
    message: expect.stringMatching(/cannot read \(.*[Ii]nvalid.*\)\. Load the page again\./),
  });
});
