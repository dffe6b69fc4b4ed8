import type { ToolDeclaration } from '../../contracts/tools/tool-call.ts';
import { canonicalJson } from '../../contracts/values/canonical-json.ts';
import type { JsonObject } from '../stream/tool-arguments.ts';
import { splitToolName } from '../../contracts/tools/tool-name.ts';

/** Returns arguments as signatures and rules see them, with defaults filled in and paths in one spelling. */
export const normalisedArguments = (args: JsonObject, declaration: ToolDeclaration): JsonObject => {
  const present = Object.fromEntries(Object.entries(args).filter(isPresent));
  const filled = { ...declaration.defaults, ...present };
  const paths = new Set(declaration.pathArguments);
  return Object.fromEntries(
    Object.entries(filled).map(([key, value]) => [key, paths.has(key) ? foldValue(value) : value]),
  );
};

/**
 * Returns the signature of a call. Two calls with the same signature ask for the same thing (docs/protocol.md
 * "Duplicates"). Case, inner whitespace, and whether a value is a number or a string stay significant.
 */
export const callSignature = (declaration: ToolDeclaration, args: JsonObject, projectId: string): string =>
  canonicalJson({
    ...splitToolName(declaration.name),
    arguments: normalisedArguments(args, declaration),
    projectId,
  });

/**
 * Returns one spelling for all spellings of a path, without looking at the file system (docs/protocol.md "Duplicates"):
 * `\` becomes `/`, `.` and `..` are folded, a leading `./` and doubled or trailing `/` are left out, and an empty path
 * becomes `.`. Case is kept, since file systems differ about it.
 */
export const foldPath = (path: string): string => {
  const unified = path.replaceAll('\\', '/');
  const isAbsolute = unified.startsWith('/');
  const segments: string[] = [];
  for (const segment of unified.split('/')) foldSegment(segments, segment, isAbsolute);
  return (isAbsolute ? '/' : '') + segments.join('/') || '.';
};

/** Adds one segment to `folded`, in place. A path may have 100,000 segments, so nothing is copied. */
const foldSegment = (folded: string[], segment: string, isAbsolute: boolean): void => {
  if (segment === '' || segment === '.') return;
  if (segment !== '..') folded.push(segment);
  else if (folded.length > 0 && folded.at(-1) !== '..') folded.pop();
  else if (!isAbsolute) folded.push('..');
};

const isPresent = ([, value]: [string, unknown]): boolean => value !== undefined;

const foldValue = (value: unknown): unknown => {
  if (typeof value === 'string') return foldPath(value);
  return Array.isArray(value) ? value.map(foldValue) : value;
};
