import type { Args, FileRule } from './trace.ts';
import { bad, foldPath, good, type Outcome } from './world-outcome.ts';

type Files = Map<string, string>;
type FileTool = (files: Files, args: Args, rule: FileRule) => Outcome;

const isBelow = (path: string, root: string): boolean => root === '.' || path.startsWith(`${root}/`);

const read: FileTool = (files, args) => {
  const content = files.get(foldPath(args['path']));
  if (content === undefined) return bad(`not found: ${String(args['path'])}`);
  const { start_line: start, end_line: end } = args;
  if (start === undefined && end === undefined) return good(content);
  const lines = content.split('\n');
  const from = Number(start ?? 1) - 1;
  return good(lines.slice(from, Number(end ?? lines.length)).join('\n') || '(no lines in this range)');
};

const list: FileTool = (files, args) => {
  const root = foldPath(args['path']);
  const names = [...files.keys()].filter((path) => isBelow(path, root)).sort();
  return names.length > 0 ? good(names.join('\n')) : bad(`not found: ${String(args['path'])}`);
};

const patternOf = (source: string): RegExp | undefined => {
  try {
    return new RegExp(source);
  } catch {
    return undefined;
  }
};

const search: FileTool = (files, args) => {
  const root = foldPath(args['path']);
  const pattern = patternOf(String(args['regex']));
  if (!pattern) return bad(`bad regex: ${String(args['regex'])}`);
  const hits = [...files]
    .filter(([path]) => path === root || isBelow(path, root))
    .flatMap(([path, text]) =>
      text.split('\n').flatMap((line, i) => (pattern.test(line) ? [`${path}:${i + 1}: ${line}`] : [])),
    );
  return good(hits.length > 0 ? hits.join('\n') : 'No matches found.');
};

const write: FileTool = (files, args, rule) => {
  const path = foldPath(args['path']);
  const content = String(args['content']);
  files.set(path, content);
  return good(rule.says ?? `wrote ${content.length} bytes to ${path}`);
};

const edit: FileTool = (files, args, rule) => {
  const path = foldPath(args['path']);
  const text = files.get(path);
  if (text === undefined) return bad(`not found: ${String(args['path'])}`);
  const [before, after] = [String(args['old_text']), String(args['new_text'])];
  if (before === after) return bad('No changes made: old and new text are the same');
  const parts = text.split(before);
  if (parts.length < 2) return bad('old_text not found in file');
  if (parts.length > 2 && rule.strict) return bad(`expected 1 occurrence but found ${parts.length - 1}`);
  files.set(path, [parts[0] ?? '', parts.slice(1).join(before)].join(after));
  return good(rule.says ?? '1 replacement made');
};

export const FILE_TOOLS: Readonly<Record<FileRule['kind'], FileTool>> = {
  'fs-read': read,
  'fs-list': list,
  'fs-search': search,
  'fs-write': write,
  'fs-edit': edit,
};
