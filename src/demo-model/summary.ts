import { SUMMARY_PROMPT_START } from '../contracts/model/summarising.ts';
import type { RequestMessage } from './chat-request.ts';

const MAX_LINES = 40;
const LINE_CHARACTERS = 120;

/**
 * Returns the demo model's summary, which is the first lines of the person's messages. Returns undefined when no
 * summary was asked for.
 */
export const summaryOf = (messages: readonly RequestMessage[]): string | undefined => {
  const [system, asked] = messages;
  if (system?.role !== 'system' || !system.content.startsWith(SUMMARY_PROMPT_START)) return undefined;
  const lines = (asked?.content ?? '').split('\n');
  const before = lines[0]?.startsWith('[summary of what came before]')
    ? lines.slice(1, lines.indexOf(''))
    : [];
  const said = lines.filter((_line, i) => lines[i - 1] === 'person:').map((line) => `- ${line.trim()}`);
  return [...before.map((line) => line.trim()), ...said]
    .map((line) => line.slice(0, LINE_CHARACTERS).toWellFormed())
    .slice(-MAX_LINES)
    .join('\n');
};
