import { styleText } from 'node:util';
import { createParser } from 'eventsource-parser';
import { z } from 'zod';
import { safeForTerminal, safeInLine } from '../base/text/safe-for-terminal.ts';

const QUESTION = 'List the files of the workspace, then tell me in one sentence what you found.';
/** Milliseconds that the whole demonstration may take. */
const TIMEOUT_MS = 20_000;

/** The fields of an event of the stream (docs/http-api.md) that the demonstration shows. */
const frameSchema = z.object({
  type: z.string(),
  chunk: z.string().optional(),
  phase: z.string().optional(),
  tool_result: z.object({ name: z.string(), durationMs: z.number() }).optional(),
  error: z.string().optional(),
});
type Frame = z.infer<typeof frameSchema>;

/**
 * Asks the demo model something through the public route and writes the answer as it streams. The first thing that a
 * person sees of Orion is thus a turn with its tool phase. Rejects when the gateway starts no turn, when the stream
 * breaks, or after `TIMEOUT_MS`.
 */
export const runDemonstration = async (gateway: string, write: (text: string) => void): Promise<void> => {
  const response = await ask(gateway, AbortSignal.timeout(TIMEOUT_MS));
  if (!response.ok || response.body === null) {
    throw new Error(`the gateway answered ${response.status}: ${await response.text()}`);
  }
  write(`${dim('You:')} ${QUESTION}\n`);
  const parser = createParser({
    onEvent: ({ data }) => write(frameText(frameSchema.parse(JSON.parse(data)))),
  });
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) parser.feed(text);
  write('\n\n');
};

const ask = (gateway: string, signal: AbortSignal): Promise<Response> =>
  fetch(`${gateway}/api/chat/messages`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    // A new conversation, because an unfinished turn of an earlier start would block the old one.
    body: JSON.stringify({ projectId: 'welcome', conversationId: `start-${Date.now()}`, content: QUESTION }),
    signal,
  });

const dim = (text: string): string => styleText('dim', text);

const frameText = (frame: Frame): string => {
  switch (frame.type) {
    case 'chunk':
      return safeForTerminal(frame.chunk ?? '');
    case 'phase':
      return dim(`\n── ${safeInLine(frame.phase?.replace('_', ' ') ?? '')} ──\n`);
    case 'tool_result':
      return dim(
        `${safeInLine(frame.tool_result?.name ?? '')} answered after ${frame.tool_result?.durationMs} ms\n`,
      );
    case 'error':
      return `\n${safeForTerminal(frame.error ?? '')}\n`;
    default:
      return '';
  }
};
