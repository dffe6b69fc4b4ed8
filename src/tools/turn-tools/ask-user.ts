import { z } from 'zod';
import { ASK_USER } from '../../contracts/tools/built-in-tools.ts';
import type { Tool } from '../tool.ts';

const MAX_QUESTION_CHARACTERS = 2_000;
const MAX_OPTION_CHARACTERS = 200;

const inputSchema = z.strictObject({
  question: z
    .string()
    .max(MAX_QUESTION_CHARACTERS)
    .refine((text) => text.trim() !== '', 'expected text that is not blank')
    .describe('What the user is asked, in one or two sentences'),
  options: z
    .array(z.string().min(1).max(MAX_OPTION_CHARACTERS))
    .min(2)
    .max(6)
    .optional()
    .describe('Answers to choose from; the user may say something else'),
  multiple: z.boolean().optional().describe('Several of the options may be chosen'),
});

/** The tool `UserTool_ask`. Its result is the user's answer, for which the turn has waited before it runs the tool. */
export const askUserTool: Tool<z.infer<typeof inputSchema>> = {
  declaration: ASK_USER,
  aliases: ['ask'],
  description:
    'Ask the user one question and wait for the answer. Only for what you cannot find out yourself and cannot go on without.',
  input: inputSchema,
  execute: (_input, { answer }) =>
    Promise.resolve(
      answer === undefined
        ? { ok: false, error: 'nobody has answered this question' }
        : { ok: true, result: { answer: answer.content } },
    ),
};
