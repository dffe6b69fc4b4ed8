/*
 * Finds the files that the file tools and write sessions of a turn have written, from its events. All functions here
 * are pure.
 */
import { FILE_WRITERS } from '../../contracts/tools/built-in-tools.ts';
import { toolAction, toolLabel } from '../../contracts/tools/tool-name.ts';
import type { AnswerEntry } from '../turn/answer-entry.ts';
import { parseCallArguments } from '../turn/call-words.ts';

/** A file, or a folder with what it contains. `path` is empty for a folder. */
export interface TreeNode {
  readonly name: string;
  readonly path: string;
  readonly children: readonly TreeNode[];
}

/**
 * All forms of the names of tools that write files. Models often leave out the part before the action, and names that
 * were stored long ago have a dot.
 */
const WRITERS: ReadonlySet<string> = new Set(
  FILE_WRITERS.flatMap((name) => [name, toolLabel(name), toolAction(name)]),
);

/**
 * Returns the paths of the files that file tools and committed write sessions of a turn have written, each once,
 * sorted.
 */
export const changedPaths = (entries: readonly AnswerEntry[]): readonly string[] => {
  const paths = entries.flatMap((entry): readonly string[] => {
    if (entry.kind === 'file') return entry.file.stage === 'committed' ? [entry.file.target] : [];
    if (entry.kind !== 'call' || entry.state !== 'ok' || !WRITERS.has(entry.name)) return [];
    return pathIn(entry.arguments);
  });
  return [...new Set(paths)].sort();
};

const pathIn = (argumentsText: string): readonly string[] => {
  const { path } = parseCallArguments(argumentsText);
  return typeof path === 'string' ? [path.replace(/^\.\//, '')] : [];
};

/**
 * Returns the tree of these files. A folder that contains only another folder becomes one node with it, such as
 * `src/web/`.
 */
export const treeOf = (paths: readonly string[]): readonly TreeNode[] =>
  nodesIn(paths.map((path) => ({ path, namesBelow: path.split('/') })));

interface PlacedPath {
  readonly path: string;
  /** The names in the path below the folder whose nodes are made. */
  readonly namesBelow: readonly string[];
}

const nodesIn = (placed: readonly PlacedPath[]): readonly TreeNode[] => {
  const byName = Map.groupBy(
    placed,
    ({ namesBelow }) => `${namesBelow[0] ?? ''}${namesBelow.length > 1 ? '/' : ''}`,
  );
  return [...byName].map(([name, group]): TreeNode => {
    if (!name.endsWith('/')) return { name, path: group[0]?.path ?? name, children: [] };
    const children = nodesIn(
      group.map(({ path, namesBelow }) => ({ path, namesBelow: namesBelow.slice(1) })),
    );
    const [only] = children;
    const isChain = children.length === 1 && only !== undefined && only.path === '';
    return isChain ? { ...only, name: `${name}${only.name}` } : { name, path: '', children };
  });
};
