import { expect, it } from '@jest/globals';
import { requestDisplay } from '../../../activities/inputs/request-display.ts';
import { jsonTextBytes } from '../../../src/base/json/json-text.ts';
import { KIB } from '../../../src/contracts/values/units.ts';

it.each<[string, string | undefined, string | null]>([
  ['short arguments and a short diff', '{"path":"a"}', '-a\n+b\n'],
  ['arguments that are all quotes, and a long diff', '"'.repeat(8 * KIB), 'a'.repeat(9 * KIB)],
  ['arguments of several bytes for each character', '😀'.repeat(4 * KIB), '\n'.repeat(9 * KIB)],
  ['long arguments alone', '"a'.repeat(8 * KIB), null],
  ['a long diff alone', undefined, 'é\n'.repeat(8 * KIB)],
])('events and lists show at most 8 KiB of a request, as JSON: %s', (_what, args, diff) => {
  const request = { options: [], ...(args !== undefined && { arguments: args }) };
  const shown = requestDisplay({ request, argsHash: null, diff });
  const bytes = jsonTextBytes(shown.arguments ?? '') + jsonTextBytes(shown.diff ?? '');
  expect(bytes).toBeLessThanOrEqual(8 * KIB);
  const isWhole = shown.arguments === args && (shown.diff ?? null) === diff;
  expect(shown.truncated ?? false).toBe(!isWhole);
});
