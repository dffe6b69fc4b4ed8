import type { ToolDeclaration } from '../../contracts/tool-call.ts';
import { canonicalJson } from './canonical-json.ts';
import { foldPath } from './fold-path.ts';
import type { JsonObject } from './tool-arguments.ts';
import { splitToolName } from './tool-name.ts';

const foldValue = (value: unknown): unknown => {
  if (typeof value === 'string') return foldPath(value);
  return Array.isArray(value) ? value.map(foldValue) : value;
};

const isPresent = ([, value]: [string, unknown]): boolean => value !== undefined;

const normalise = (args: JsonObject, declaration: ToolDeclaration): JsonObject => {
  const present = Object.fromEntries(Object.entries(args).filter(isPresent));
  const filled = { ...declaration.defaults, ...present };
  const paths = new Set(declaration.pathArguments);
  return Object.fromEntries(
    Object.entries(filled).map(([key, value]) => [key, paths.has(key) ? foldValue(value) : value]),
  );
};

/**
 * Two calls with the same signature ask for the same thing (docs/protocol.md "Duplicates"). Case, numbers against
 * strings and inner whitespace stay significant.
 */
export const callSignature = (declaration: ToolDeclaration, args: JsonObject, projectId: string): string =>
  canonicalJson({
    ...splitToolName(declaration.name),
    arguments: normalise(args, declaration),
    projectId,
  });
