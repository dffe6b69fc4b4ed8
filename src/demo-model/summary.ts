import { SUMMARY_PROMPT_START } from '../contracts/model/prompt-marks.ts';
import type { RequestMessage } from './chat-request.ts';

const MAX_LINES = 40;
const LINE_CHARACTERS = 120;

/**
 * Returns the demo model's summary: the last `MAX_LINES` lines of the previous summary and the first line of each
 * message of the person. Returns undefined when no summary was asked for.
 */
export const summaryOf = (messages: readonly RequestMessage[]): string | undefined => {
  const [system, request] = messages;
  if (system?.role !== 'system' || !system.content.startsWith(SUMMARY_PROMPT_START)) return undefined;
  const lines = (request?.content ?? '').split('\n');
  const before = lines[0]?.startsWith('[summary of what came before]')
    ? lines.slice(1, lines.indexOf(''))
    : [];
  const personLines = lines
    .filter((_line, i) => lines[i - 1] === 'person:')
    .map((line) => `- ${line.trim()}`);
  return [...before.map((line) => line.trim()), ...personLines]
    .map((line) => line.slice(0, LINE_CHARACTERS).toWellFormed())
    .slice(-MAX_LINES)
    .join('\n');
};
