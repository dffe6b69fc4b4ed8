/** A named thing that a source file defines. */
export interface Definition {
  /** Number of the line where the thing begins, from 1. */
  readonly line: number;
  /** The kind, such as `class`, `function` or `method`, in the words of its language. */
  readonly kind: string;
  /** Name of the thing. For a member, the names around it come first: `Outer.Inner.method`. */
  readonly name: string;
}

/** A question to the parsing thread: what does the text of this file define? */
export interface DefinitionRequest {
  /** Name of the grammar (src/tools/definitions/languages.ts). */
  readonly grammar: string;
  readonly text: string;
}
