import type { TurnViewer } from './turn-viewer.ts';

/** One line of JSON per event, as it came and with its id (`--output-format stream-json`). */
export const createJsonLinesView = (write: (text: string) => void): TurnViewer => ({
  frame({ id, event }) {
    write(`${JSON.stringify({ id, ...event })}\n`);
  },
});
