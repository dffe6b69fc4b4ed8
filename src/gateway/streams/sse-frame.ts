interface SseFrame {
  readonly id?: string;
  /**
   * Name of the event, which is `message` if it is absent. It is never `error`, which EventSource takes for an error of
   * the connection.
   */
  readonly event?: string;
  readonly data: string;
}

const LINE_BREAK = /\r\n|\r|\n/;

/**
 * Returns the text of one SSE event (WHATWG HTML, section 9.2.5). Each line of `data` becomes a field of its own.
 * Throws Error for an id or a name with a line break or NUL, because a client would read another event out of it, or
 * drop the id. Throws Error also for the name `error`.
 */
export const formatFrame = ({ id, event, data }: SseFrame): string => {
  let text = '';
  if (id !== undefined) text += `id: ${requireFieldValue(id)}\n`;
  if (event !== undefined) text += `event: ${requireEventName(event)}\n`;
  for (const line of data.split(LINE_BREAK)) text += `data: ${line}\n`;
  return `${text}\n`;
};

const requireFieldValue = (value: string): string => {
  if (!LINE_BREAK.test(value) && !value.includes('\0')) return value;
  throw new Error(`SSE field: expected text on one line without NUL, received ${JSON.stringify(value)}`);
};

const requireEventName = (name: string): string => {
  if (name !== 'error') return requireFieldValue(name);
  throw new Error('SSE event name: expected any but "error", received "error"');
};
