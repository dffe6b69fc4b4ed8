/**
 * Grammars by the ending of a file's name. Each grammar is a file `tree-sitter-<grammar>.wasm` of
 * @vscode/tree-sitter-wasm.
 */
const GRAMMARS: Readonly<Record<string, string>> = {
  ts: 'typescript',
  mts: 'typescript',
  cts: 'typescript',
  tsx: 'tsx',
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  jsx: 'javascript',
  py: 'python',
  pyi: 'python',
  go: 'go',
  rs: 'rust',
  java: 'java',
  c: 'cpp',
  h: 'cpp',
  cc: 'cpp',
  cpp: 'cpp',
  cxx: 'cpp',
  hh: 'cpp',
  hpp: 'cpp',
  hxx: 'cpp',
  cs: 'c-sharp',
  rb: 'ruby',
  php: 'php',
  sh: 'bash',
  bash: 'bash',
  ps1: 'powershell',
};

/** Returns the grammar for a file, undefined when its kind is not known. */
export const grammarFor = (path: string): string | undefined => {
  const [, ending = ''] = /\.([^./]+)$/.exec(path) ?? [];
  return Object.hasOwn(GRAMMARS, ending.toLowerCase()) ? GRAMMARS[ending.toLowerCase()] : undefined;
};

/** File endings whose language is known, without the dot. */
export const KNOWN_ENDINGS: readonly string[] = Object.keys(GRAMMARS);
