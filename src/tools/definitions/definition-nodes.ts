/** The kind of definition that a node of a syntax tree makes. */
export interface DefinitionNode {
  readonly kind: string;
  /** Set when definitions inside are listed, too: as members of a type, where functions are methods, or of a module. */
  readonly holds?: 'members' | 'definitions';
  /** True when the node counts only if it declares a function (C and C++ write variables and functions alike). */
  readonly countsFunctionsOnly?: boolean;
}

const typeNode = (kind: string): DefinitionNode => ({ kind, holds: 'members' });
const simpleNode = (kind: string): DefinitionNode => ({ kind });

/** Nodes that define something, of all grammars. Where two grammars have a node of the same name, it means the same. */
const DEFINITIONS: Readonly<Record<string, DefinitionNode>> = {
  class_declaration: typeNode('class'),
  abstract_class_declaration: typeNode('class'),
  class_definition: typeNode('class'),
  class_specifier: typeNode('class'),
  class_statement: typeNode('class'),
  class: typeNode('class'),
  struct_declaration: typeNode('struct'),
  struct_specifier: typeNode('struct'),
  struct_item: simpleNode('struct'),
  union_specifier: typeNode('union'),
  union_item: simpleNode('union'),
  record_declaration: typeNode('record'),
  interface_declaration: typeNode('interface'),
  annotation_type_declaration: simpleNode('annotation'),
  trait_item: typeNode('trait'),
  trait_declaration: typeNode('trait'),
  impl_item: typeNode('impl'),
  enum_declaration: typeNode('enum'),
  enum_specifier: simpleNode('enum'),
  enum_item: simpleNode('enum'),
  internal_module: { kind: 'namespace', holds: 'definitions' },
  module: { kind: 'module', holds: 'definitions' },
  mod_item: { kind: 'module', holds: 'definitions' },
  function_declaration: simpleNode('function'),
  generator_function_declaration: simpleNode('function'),
  function_signature: simpleNode('function'),
  function_definition: simpleNode('function'),
  function_item: simpleNode('function'),
  function_signature_item: simpleNode('function'),
  function_statement: simpleNode('function'),
  macro_definition: simpleNode('macro'),
  method_declaration: simpleNode('method'),
  method_definition: simpleNode('method'),
  abstract_method_signature: simpleNode('method'),
  class_method_definition: simpleNode('method'),
  method: simpleNode('function'),
  singleton_method: simpleNode('method'),
  constructor_declaration: simpleNode('constructor'),
  property_declaration: simpleNode('property'),
  delegate_declaration: simpleNode('delegate'),
  type_alias_declaration: simpleNode('type'),
  type_spec: simpleNode('type'),
  type_alias: simpleNode('type'),
  type_item: simpleNode('type'),
  type_definition: simpleNode('type'),
  alias_declaration: simpleNode('type'),
  const_spec: simpleNode('constant'),
  const_item: simpleNode('constant'),
  const_element: simpleNode('constant'),
  static_item: simpleNode('variable'),
  var_spec: simpleNode('variable'),
  variable_declarator: simpleNode('variable'),
  assignment: simpleNode('variable'),
  declaration: { kind: 'function', countsFunctionsOnly: true },
  field_declaration: { kind: 'function', countsFunctionsOnly: true },
};

/** Nodes that define nothing themselves and may hold definitions: bodies, wrappers, conditional parts, broken code. */
const WRAPPERS: ReadonlySet<string> = new Set([
  'ERROR',
  'ambient_declaration',
  'annotation_type_body',
  'block',
  'body_statement',
  'class_body',
  'compound_statement',
  'const_declaration',
  'declaration_list',
  'decorated_definition',
  'else_clause',
  'enum_body',
  'enum_body_declarations',
  'enum_declaration_list',
  'except_clause',
  'export_statement',
  'expression_statement',
  'field_declaration_list',
  'file_scoped_namespace_declaration',
  'if_statement',
  'interface_body',
  'lexical_declaration',
  'linkage_specification',
  'namespace_declaration',
  'namespace_definition',
  'preproc_elif',
  'preproc_else',
  'preproc_if',
  'preproc_ifdef',
  'singleton_class',
  'statement_block',
  'statement_list',
  'template_declaration',
  'try_statement',
  'type_declaration',
  'var_declaration',
  'var_spec_list',
  'variable_declaration',
]);

/** The kind of a variable that holds a function or a class, by the node of its value. */
const VALUE_KINDS: Readonly<Record<string, string>> = {
  arrow_function: 'function',
  function_expression: 'function',
  generator_function: 'function',
  class: 'class',
};

/** Returns the definition that a node of that type makes, or undefined if it makes none. */
export const definitionNode = (nodeType: string): DefinitionNode | undefined =>
  entryOf(DEFINITIONS, nodeType);

const entryOf = <T>(table: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;

/** Reports whether a node of that type may hold definitions without being one, as `export` does. */
export const isWrapper = (nodeType: string): boolean => WRAPPERS.has(nodeType);
/**
 * Returns the kind of a variable whose value is a node of that type, or undefined if the value does not determine the
 * kind.
 */
export const kindOfValue = (nodeType: string): string | undefined => entryOf(VALUE_KINDS, nodeType);
