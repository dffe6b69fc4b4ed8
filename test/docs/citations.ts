/** A page that a comment names, and the heading in quotes behind it. */
export interface Citation {
  readonly page: string;
  readonly heading: string | undefined;
}

/** Returns the text of a source file's comments, each on one line however it was wrapped. */
export const commentsIn = (source: string): string => {
  const lines = source.split('\n').map((line) => {
    const [, text] = /^\s*(?:\/\*+|\*(?!\/)|\/\/|<!--|#(?!!)) ?(.*)/.exec(line) ?? [];
    return text ?? /(?<=\s)\/\/ (.*)/.exec(line)?.[1];
  });
  return lines.map((text) => (text === undefined ? '\n' : `${text.trim()} `)).join('');
};

/** Returns the citations in comments: pages, and `page.md "Heading"`. */
export const citationsIn = (comments: string): readonly Citation[] =>
  [...comments.matchAll(/(?<![\w/.<>-])([\w/-]+\.md)(?: "([^"\n]+)")?/g)].map(([, page = '', heading]) => ({
    page,
    heading,
  }));

/** Returns the text of a page without fenced code, which may show anything. */
const proseOf = (page: string): string => page.replace(/^```[\s\S]*?^```/gm, '');

/** Returns the targets of a page's links that stay in the repository: `file`, `file#anchor` or `#anchor`. */
export const linksIn = (page: string): readonly string[] =>
  [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target));

/** Returns the anchors of a page's headings as it is rendered. */
export const anchorsIn = (page: string): readonly string[] =>
  [...proseOf(page).matchAll(/^#{1,6} (.*?)\s*$/gm)].map(([, heading = '']) => anchorOf(heading));

/** Returns the id that a Markdown heading gets in a rendered page. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');

const FOLDERS = '(?:src|workflows|activities|worker|test|docs|examples|\\.ci)';

/** Returns a page without commands and examples of output, which may name the files of other people. */
const withoutExamples = (page: string): string =>
  page.replace(/^```[\s\S]*?^```/gm, (block) => block.replaceAll('docs/', ''));

/**
 * Returns the files and folders of the repository that a text names. A path with `*`, `…` or `<…>` stands for many
 * files, and one that ends with `.js` belongs to somebody else; neither is returned.
 */
export const pathsIn = (text: string): readonly string[] =>
  [...withoutExamples(text).matchAll(new RegExp(`(?<![\\w./-])${FOLDERS}/[\\w./*…<-]*`, 'g'))]
    .map(([path]) => path.replace(/[./]+$/, ''))
    .filter((path) => !/[*…<]|\.js$/.test(path));

/** Returns the names in backticks, without a folder, that can only be source files. */
export const fileNamesIn = (text: string): readonly string[] =>
  [...text.matchAll(/`([a-z][\w-]*(?:\.test)?\.(?:tsx?|mjs))`/g)].map(([, name = '']) => name);

const PLACED_NAME = new RegExp(
  `\`#?(\\w+)(?:\\(\\))?\` (?:of|in|from) \`?(${FOLDERS}/[\\w./-]+\\.tsx?)`,
  'g',
);

/** Returns the names of code that a comment or page looks for in a file, with the path of the file. */
export const placedNamesIn = (text: string): readonly { readonly name: string; readonly path: string }[] =>
  [...text.matchAll(PLACED_NAME)].map(([, name = '', path = '']) => ({ name, path }));

/** Returns the commits that a page cites by their short ids. */
export const commitsIn = (page: string): readonly string[] =>
  [...page.matchAll(/`([0-9a-f]{7})`/g)].map(([, commit = '']) => commit);
