import { safeInLine } from '../../base/text/safe-for-terminal.ts';
import { parseChoices, type QuestionChoices } from '../../contracts/inputs/question-choices.ts';
import type { InputRequested, ReplyName } from '../../contracts/wire/input-events.ts';

type ShownRequest = Pick<InputRequested, 'inputId' | 'kind' | 'message' | 'arguments' | 'diff' | 'truncated'>;

/** Returns a request for a person who has to decide: what is asked, and what would change. */
export const inputRequestLines = (request: ShownRequest): readonly string[] => {
  const { inputId, message, truncated } = request;
  return [
    `? ${safeInLine(message)}`,
    ...subjectLines(request).map((line) => `  ${line}`),
    ...(truncated === true ? [`  … the rest: orion waiting ${inputId}`] : []),
  ];
};

/** Returns the command that replies to a request from any terminal. */
export const replyHint = ({
  inputId,
  options,
  expiresAt,
}: Pick<InputRequested, 'inputId' | 'options' | 'expiresAt'>): string =>
  `  Answer: orion reply ${inputId} ${options.map(replyArguments).join('|')} (until ${expiresAt})`;

const replyArguments = (reply: ReplyName): string =>
  reply === 'answer' || reply === 'result' ? `${reply} --content "…"` : reply;

const subjectLines = (request: ShownRequest): readonly string[] => {
  const { kind, arguments: text, diff } = request;
  // The message is the question itself, so only its choices are left to show.
  if (kind === 'question') return choiceLines(parseChoices(text));
  // A diff without hunks says only sizes, in words. The arguments say more.
  const parts = diff?.includes('\n@@ ') === true ? [diff] : [diff, text];
  return parts.flatMap((part) => part?.trimEnd().split('\n') ?? []);
};

const choiceLines = ({ options, allowsMultiple }: QuestionChoices): readonly string[] =>
  options.length === 0
    ? []
    : [
        ...options.map((option, i) => `${i + 1} ${safeInLine(option)}`),
        ...(allowsMultiple ? ['(more than one may be chosen)'] : []),
      ];
