import { z } from 'zod';
import { withoutLineNumbers } from '../base/text/line-numbers.ts';
import type { DemoToolResult } from './conversation-state.ts';
import type { DemoWish } from './wishes.ts';

const readSchema = z.object({ path: z.string(), content: z.string() });

/** Patterns of function names, each with the operator that such a function should use. */
const OPERATORS: readonly (readonly [name: RegExp, operator: string])[] = [
  [/^(?:add|plus|sum)/i, '+'],
  [/^(?:sub|minus|difference)/i, '-'],
  [/^(?:mul|times|product)/i, '*'],
  [/^(?:div|quotient)/i, '/'],
];

/** Matches a function of one line. Captures its name, and the operator between the two words at its end. */
const ONE_LINE =
  /^[^\n]{0,80}?\b(?:const|function|let|def)\s+(\w+)[^\n]{0,200}?\w (?<operator>[-+*/]) \w+[;\s})]*$/d;

/**
 * Returns the edit that fixes the one kind of bug that the demo model knows, in a file that it has read: a function of
 * one line whose name says one operation, such as `add`, and which does another. Returns undefined if there is none, or
 * if the result is not that of reading `path`.
 */
export const fixOf = (
  { ok, result }: DemoToolResult,
  path: string,
): Extract<DemoWish, { kind: 'edit' }> | undefined => {
  const read = readSchema.safeParse(result);
  if (!ok || !read.success || read.data.path !== path) return undefined;
  for (const line of withoutLineNumbers(read.data.content).split('\n')) {
    const match = ONE_LINE.exec(line);
    const operator = OPERATORS.find(([name]) => name.test(match?.[1] ?? ''))?.[1];
    const [from, to] = match?.indices?.groups?.['operator'] ?? [0, 0];
    if (operator === undefined || line.slice(from, to) === operator) continue;
    return { kind: 'edit', path, old: line, new: line.slice(0, from) + operator + line.slice(to) };
  }
  return undefined;
};
