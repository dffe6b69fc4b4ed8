export interface SseFrame {
  readonly id?: string;
  /** Name of the event; absent: `message`. Never `error`, which EventSource takes for a transport error. */
  readonly event?: string;
  readonly data: string;
}

const LINE_BREAK = /\r\n|\r|\n/;

/**
 * Text of one event (WHATWG HTML 9.2.5). Data may have several lines. Throws on an id or a name with a line
 * break or NUL: a client would read another event out of it, or drop the id.
 */
export const formatFrame = ({ id, event, data }: SseFrame): string => {
  let text = '';
  if (id !== undefined) text += `id: ${fieldValue(id)}\n`;
  if (event !== undefined) text += `event: ${eventName(event)}\n`;
  for (const line of data.split(LINE_BREAK)) text += `data: ${line}\n`;
  return `${text}\n`;
};

const fieldValue = (value: string): string => {
  if (!LINE_BREAK.test(value) && !value.includes('\0')) return value;
  throw new Error(`SSE field: expected text on one line without NUL, received ${JSON.stringify(value)}`);
};

const eventName = (name: string): string => {
  if (name !== 'error') return fieldValue(name);
  throw new Error('SSE event name: expected any but "error", received "error"');
};
