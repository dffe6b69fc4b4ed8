/** The kind of definition that a node of a syntax tree makes. */
export interface DefinitionNode {
  readonly kind: string;
  /** Set when definitions inside are listed, too: as members of a type, where functions are methods, or of a module. */
  readonly holds?: 'members' | 'definitions';
  /** True when the node counts only if it declares a function (C and C++ write variables and functions alike). */
  readonly countsFunctionsOnly?: boolean;
}

const type = (kind: string): DefinitionNode => ({ kind, holds: 'members' });
const one = (kind: string): DefinitionNode => ({ kind });

/** Nodes that define something, of all grammars. Where two grammars have a node of the same name, it means the same. */
const DEFINITIONS: Readonly<Record<string, DefinitionNode>> = {
  class_declaration: type('class'),
  abstract_class_declaration: type('class'),
  class_definition: type('class'),
  class_specifier: type('class'),
  class_statement: type('class'),
  class: type('class'),
  struct_declaration: type('struct'),
  struct_specifier: type('struct'),
  struct_item: one('struct'),
  union_specifier: type('union'),
  union_item: one('union'),
  record_declaration: type('record'),
  interface_declaration: type('interface'),
  annotation_type_declaration: one('annotation'),
  trait_item: type('trait'),
  trait_declaration: type('trait'),
  impl_item: type('impl'),
  enum_declaration: type('enum'),
  enum_specifier: one('enum'),
  enum_item: one('enum'),
  internal_module: { kind: 'namespace', holds: 'definitions' },
  module: { kind: 'module', holds: 'definitions' },
  mod_item: { kind: 'module', holds: 'definitions' },
  function_declaration: one('function'),
  generator_function_declaration: one('function'),
  function_signature: one('function'),
  function_definition: one('function'),
  function_item: one('function'),
  function_signature_item: one('function'),
  function_statement: one('function'),
  macro_definition: one('macro'),
  method_declaration: one('method'),
  method_definition: one('method'),
  abstract_method_signature: one('method'),
  class_method_definition: one('method'),
  method: one('function'),
  singleton_method: one('method'),
  constructor_declaration: one('constructor'),
  property_declaration: one('property'),
  delegate_declaration: one('delegate'),
  type_alias_declaration: one('type'),
  type_spec: one('type'),
  type_alias: one('type'),
  type_item: one('type'),
  type_definition: one('type'),
  alias_declaration: one('type'),
  const_spec: one('constant'),
  const_item: one('constant'),
  const_element: one('constant'),
  static_item: one('variable'),
  var_spec: one('variable'),
  variable_declarator: one('variable'),
  assignment: one('variable'),
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
export const definitionNode = (nodeType: string): DefinitionNode | undefined => own(DEFINITIONS, nodeType);

const own = <T>(table: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;

/** Reports whether a node of that type may hold definitions without being one, as `export` does. */
export const isWrapper = (nodeType: string): boolean => WRAPPERS.has(nodeType);
/**
 * Returns the kind of a variable whose value is a node of that type, or undefined if the value does not determine the
 * kind.
 */
export const kindOfValue = (nodeType: string): string | undefined => own(VALUE_KINDS, nodeType);
