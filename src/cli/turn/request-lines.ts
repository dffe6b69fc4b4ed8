import { safeInLine } from '../../base/safe-for-terminal.ts';
import type { InputRequested, ReplyName } from '../../contracts/wire/input-events.ts';

type Shown = Pick<
  InputRequested,
  'inputId' | 'message' | 'arguments' | 'diff' | 'truncated' | 'options' | 'expiresAt'
>;

/** A request as somebody reads it who has to decide: what is asked, what would change, and how to answer. */
export const requestLines = ({
  inputId,
  message,
  arguments: text,
  diff,
  truncated,
  options,
  expiresAt,
}: Shown): readonly string[] => {
  // A diff in words shows sizes alone.
  const shown = diff?.includes('\n@@ ') === true ? [diff] : [diff, text];
  const what = shown.flatMap((part) => part?.trimEnd().split('\n') ?? []);
  return [
    `? ${safeInLine(message)}`,
    ...what.map((line) => `  ${line}`),
    ...(truncated === true ? [`  … the rest: orion waiting ${inputId}`] : []),
    `  Answer: orion reply ${inputId} ${options.map(wordsOf).join('|')} (until ${expiresAt})`,
  ];
};

const wordsOf = (reply: ReplyName): string =>
  reply === 'answer' || reply === 'result' ? `${reply} --content "…"` : reply;
