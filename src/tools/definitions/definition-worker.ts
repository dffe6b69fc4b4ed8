/*
 * Thread that parses source files. A file of 1 MB keeps the parser busy for half a second, in which the process that
 * streams answers would stand still. The thread takes one question at a time, and answers with the definitions of the
 * file.
 */
import { fileURLToPath } from 'node:url';
import { parentPort } from 'node:worker_threads';
import { Language, Parser } from 'web-tree-sitter';
import type { Definition, DefinitionRequest } from './definition.ts';
import { findDefinitions } from './find-definitions.ts';

const GRAMMARS = import.meta.resolve('@vscode/tree-sitter-wasm/package.json');

const loadParser = async (grammar: string): Promise<Parser> => {
  const file = new URL(`wasm/tree-sitter-${grammar}.wasm`, GRAMMARS);
  const parser = new Parser();
  parser.setLanguage(await Language.load(fileURLToPath(file)));
  return parser;
};

const parsers = new Map<string, Promise<Parser>>();
const ready = Parser.init();

const answer = async ({ grammar, text }: DefinitionRequest): Promise<readonly Definition[]> => {
  await ready;
  const parser = parsers.get(grammar) ?? loadParser(grammar);
  parsers.set(grammar, parser);
  const tree = (await parser).parse(text);
  try {
    return tree === null ? [] : findDefinitions(tree.rootNode);
  } finally {
    tree?.delete();
  }
};

const port = parentPort;
port?.on('message', (request: DefinitionRequest) => {
  // A rejection ends the thread, and the caller gets the error.
  void answer(request).then((definitions) => port.postMessage(definitions, []));
});
