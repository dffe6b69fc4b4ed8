import { z } from 'zod';
import { safeInLine } from '../../base/text/safe-for-terminal.ts';
import { parseJson } from '../../contracts/values/parse-json.ts';
import type { InputRequested, ReplyName } from '../../contracts/wire/input-events.ts';

type ShownRequest = Pick<InputRequested, 'inputId' | 'kind' | 'message' | 'arguments' | 'diff' | 'truncated'>;

/** Returns a request for a person who has to decide: what is asked, and what would change. */
export const inputRequestLines = (request: ShownRequest): readonly string[] => {
  const { inputId, message, truncated } = request;
  return [
    `? ${safeInLine(message)}`,
    ...subjectOf(request).map((line) => `  ${line}`),
    ...(truncated === true ? [`  … the rest: orion waiting ${inputId}`] : []),
  ];
};

/** Returns the command that answers a request from any terminal. */
export const replyHint = ({
  inputId,
  options,
  expiresAt,
}: Pick<InputRequested, 'inputId' | 'options' | 'expiresAt'>): string =>
  `  Answer: orion reply ${inputId} ${options.map(replyArguments).join('|')} (until ${expiresAt})`;

const replyArguments = (reply: ReplyName): string =>
  reply === 'answer' || reply === 'result' ? `${reply} --content "…"` : reply;

const subjectOf = (request: ShownRequest): readonly string[] => {
  const { arguments: text, diff } = request;
  const { options, multiple } = choicesOf(request);
  if (options.length > 0) {
    return [
      ...options.map((option, i) => `${i + 1} ${safeInLine(option)}`),
      ...(multiple ? ['(more than one may be chosen)'] : []),
    ];
  }
  // The message is the question itself, so there is no more to show.
  if (request.kind === 'question') return [];
  // A diff without hunks says only sizes, in words. The arguments say more.
  const shown = diff?.includes('\n@@ ') === true ? [diff] : [diff, text];
  return shown.flatMap((part) => part?.trimEnd().split('\n') ?? []);
};

const choicesSchema = z.object({ options: z.array(z.string()), multiple: z.boolean().default(false) });

/**
 * Returns the choices that a question offers. Returns no options if the question has none, or for any other request.
 */
export const choicesOf = ({
  kind,
  arguments: text,
}: Pick<InputRequested, 'kind' | 'arguments'>): z.infer<typeof choicesSchema> => {
  const none = { options: [], multiple: false };
  return kind === 'question' ? (choicesSchema.safeParse(parseJson(text ?? '')).data ?? none) : none;
};
