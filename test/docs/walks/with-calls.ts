import { parseSync } from '@swc/core';

interface Span {
  readonly start: number;
  readonly end: number;
}

interface FunctionNode {
  readonly params: readonly unknown[];
  readonly body: { readonly span: Span };
}

const isFunction = (node: object): node is FunctionNode =>
  'params' in node &&
  Array.isArray(node.params) &&
  'body' in node &&
  typeof node.body === 'object' &&
  node.body !== null &&
  'span' in node.body;

const functionsIn = (node: unknown): readonly FunctionNode[] => {
  if (typeof node !== 'object' || node === null) return [];
  return [...(isFunction(node) ? [node] : []), ...Object.values(node).flatMap(functionsIn)];
};

const OPENING_BRACE = 0x7b;

/** Returns the source with `call` at the beginning of every function. Throws when the source is not TypeScript. */
export const withCalls = (source: string, call: string): string => {
  // swc counts positions in bytes, on from the sources that it parsed before. The added `;` shows at which position
  // this source begins.
  const bytes = Buffer.from(`;${source}`);
  const tree = parseSync(bytes.toString(), { syntax: 'typescript', target: 'es2024' });
  const insertions = functionsIn(tree.body).flatMap(({ body: { span } }) => {
    const [start, end] = [span.start - tree.span.start, span.end - tree.span.start];
    return bytes[start] === OPENING_BRACE
      ? [{ at: start + 1, text: `${call};` }]
      : [
          { at: start, text: `(${call},` },
          { at: end, text: ')' },
        ];
  });
  let from = 1;
  const parts = insertions
    .toSorted((a, b) => a.at - b.at)
    .flatMap(({ at, text }) => {
      const before = bytes.subarray(from, at).toString();
      from = at;
      return [before, text];
    });
  return [...parts, bytes.subarray(from).toString()].join('');
};
