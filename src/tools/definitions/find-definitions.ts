import type { Node } from 'web-tree-sitter';
import type { Definition } from './definition.ts';
import { type DefinitionNode, definitionNode, isWrapper, kindOfValue } from './definition-nodes.ts';

/** Largest number of definitions that are listed of a file. Files with more are usually generated. */
const MAX_DEFINITIONS = 1_000;
/** Largest number of levels of nested nodes that are searched. Deeper code defines nothing that anybody looks for. */
const MAX_DEPTH = 32;
const MAX_NAME_LENGTH = 100;

interface DefinitionScope {
  /** Text that is put before names. */
  readonly prefix: string;
  /** True in a type, where functions are methods. */
  readonly isInType: boolean;
  readonly depth: number;
}

/**
 * Finds the definitions of a syntax tree in the order of the text, at most `MAX_DEFINITIONS`, without what is inside
 * functions.
 */
export const findDefinitions = (root: Node): readonly Definition[] => {
  const definitions: Definition[] = [];
  collect(root, { prefix: '', isInType: false, depth: 0 }, definitions);
  return definitions;
};

const collect = (parent: Node, scope: DefinitionScope, definitions: Definition[]): void => {
  if (scope.depth > MAX_DEPTH) return;
  const below = { ...scope, depth: scope.depth + 1 };
  for (const node of parent.namedChildren) {
    if (definitions.length >= MAX_DEFINITIONS) return;
    const rule = definitionNode(node.type);
    if (rule !== undefined) define(node, rule, below, definitions);
    else if (isWrapper(node.type)) collect(node, below, definitions);
  }
};

const define = (
  node: Node,
  rule: DefinitionNode,
  scope: DefinitionScope,
  definitions: Definition[],
): void => {
  if (rule.countsFunctionsOnly === true && functionDeclarator(node) === undefined) return;
  const short = nameOf(node);
  if (short === undefined) return;
  const name = scope.prefix + receiverOf(node) + short;
  definitions.push({ line: node.startPosition.row + 1, kind: kindOf(node, rule, scope), name });
  if (rule.holds === undefined) return;
  collect(node, { ...scope, prefix: `${name}.`, isInType: rule.holds === 'members' }, definitions);
};

const kindOf = (node: Node, { kind }: DefinitionNode, { isInType }: DefinitionScope): string => {
  if (kind === 'function' && isInType) return 'method';
  return kindOfValue(node.childForFieldName('value')?.type ?? '') ?? kind;
};

/**
 * Returns the name of a definition. The name of an `impl_item` is its type, and the name of an assignment is its
 * target. If the grammar has no field for names, the first child that is a name counts. Returns undefined if there is
 * no name.
 */
const nameOf = (node: Node): string | undefined => {
  const nameNode =
    node.childForFieldName('name') ??
    innermostDeclarator(node) ??
    node.childForFieldName(node.type === 'assignment' ? 'left' : 'type') ??
    node.namedChildren.find(({ type }) => /^(name|function_name|simple_name)$/.test(type));
  // A pattern, `const { a, b } =` or `self.x =`, is no name.
  if (
    nameNode === null ||
    nameNode === undefined ||
    /pattern(_list)?$|^attribute$|^subscript$/.test(nameNode.type)
  ) {
    return undefined;
  }
  const text = nameNode.text.replace(/\s+/g, ' ').trim();
  return text === '' ? undefined : text.slice(0, MAX_NAME_LENGTH);
};

/**
 * Returns the name in a declaration of C or C++, where it is wrapped in declarators such as “pointer to” or “function
 * returning”. Returns undefined if there is no declarator.
 */
const innermostDeclarator = (node: Node): Node | undefined => {
  const inner = node.childForFieldName('declarator');
  return inner === null ? undefined : (innermostDeclarator(inner) ?? inner);
};

/**
 * Returns the part of a declaration of C or C++ that declares a function, or undefined if it declares something else.
 */
const functionDeclarator = (node: Node): Node | undefined => {
  if (node.type === 'function_declarator') return node;
  const inner = node.childForFieldName('declarator');
  return inner === null ? undefined : functionDeclarator(inner);
};

/** Returns `Type.` for a method of Go, which stands outside of its type, and '' for anything else. */
const receiverOf = (node: Node): string => {
  const [, type] = /(\w+)(\[[^\]]*\])?\s*\)$/.exec(node.childForFieldName('receiver')?.text ?? '') ?? [];
  return type === undefined ? '' : `${type}.`;
};
