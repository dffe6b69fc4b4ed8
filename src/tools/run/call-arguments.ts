import type { z } from 'zod';
import { parseArguments } from '../../protocol/stream/tool-arguments.ts';
import { MAX_ARGUMENT_PROBLEMS } from '../../contracts/tools/tool-call.ts';
import { expectationOf, valueAt } from '../../base/errors/zod-issue.ts';
import { shortenToJsonBytes } from '../../base/json/json-text.ts';
import type { Tool, ToolOutcome } from '../tool.ts';

/** Validated arguments of a call, or the failure that the model gets. */
export type ParsedArguments =
  { readonly ok: true; readonly input: unknown } | (ToolOutcome & { readonly ok: false });

/** One problem of a call's arguments. */
interface ArgumentProblem {
  readonly field: string;
  readonly expected: string;
  readonly received: string;
}

const MAX_SHOWN_BYTES = 80;

/**
 * Parses the raw arguments of a call strictly, '' as {} (docs/protocol.md "Complete call"), and validates them. A
 * failure says for up to `MAX_ARGUMENT_PROBLEMS` fields what was expected and what was received.
 */
export const validateArguments = async (tool: Tool, raw: string): Promise<ParsedArguments> => {
  const json = parseArguments(raw);
  if (json === undefined) {
    return argumentsRefusal([{ field: 'arguments', expected: 'a JSON object', received: receivedText(raw) }]);
  }
  const parsed = await tool.input.safeParseAsync(json);
  if (parsed.success) return { ok: true, input: parsed.data };
  const issues = parsed.error.issues.slice(0, MAX_ARGUMENT_PROBLEMS);
  return argumentsRefusal(issues.flatMap((issue) => problemsOf(issue, json)).slice(0, MAX_ARGUMENT_PROBLEMS));
};

const argumentsRefusal = (problems: readonly ArgumentProblem[]): ParsedArguments & { ok: false } => ({
  ok: false,
  error: `invalid arguments: ${problems.map(argumentProblemText).join('; ')}`,
  details: problems,
});

const argumentProblemText = ({ field, expected, received }: ArgumentProblem): string =>
  `${field}: expected ${expected}, received ${received}`;

const problemsOf = (issue: z.core.$ZodIssue, json: object): ArgumentProblem[] => {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, MAX_ARGUMENT_PROBLEMS).map((key) => ({
      field: [...issue.path, key].join('.'),
      expected: 'no such argument',
      received: receivedText(valueAt(json, [...issue.path, key])),
    }));
  }
  const field = issue.path.join('.') || 'arguments';
  return [{ field, expected: expectationOf(issue), received: receivedText(valueAt(json, issue.path)) }];
};

const receivedText = (value: unknown): string =>
  value === undefined ? 'nothing' : shortenToJsonBytes(JSON.stringify(value), MAX_SHOWN_BYTES);
