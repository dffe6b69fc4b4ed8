/** A page that a comment names, and the heading in quotes behind it. */
export interface Citation {
  readonly page: string;
  readonly heading: string | undefined;
}

/** The text of a source file's comments, each on one line however it was wrapped. */
export const commentsIn = (source: string): string => {
  const lines = source.split('\n').map((line) => {
    const [, text] = /^\s*(?:\/\*+|\*(?!\/)|\/\/|<!--|#(?!!)) ?(.*)/.exec(line) ?? [];
    return text ?? /(?<=\s)\/\/ (.*)/.exec(line)?.[1];
  });
  return lines.map((text) => (text === undefined ? '\n' : `${text.trim()} `)).join('');
};

/** Pages that comments name, and `page.md "Heading"`. */
export const citationsIn = (comments: string): readonly Citation[] =>
  [...comments.matchAll(/(?<![\w/.<>-])([\w/-]+\.md)(?: "([^"\n]+)")?/g)].map(([, page = '', heading]) => ({
    page,
    heading,
  }));

/** Text of a page without fenced code, which may show anything. */
const proseOf = (page: string): string => page.replace(/^```[\s\S]*?^```/gm, '');

/** Where the links of a page lead that stay in the repository: `file`, `file#anchor` or `#anchor`. */
export const linksIn = (page: string): readonly string[] =>
  [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target));

/** The anchors of a page's headings as it is rendered. */
export const anchorsIn = (page: string): readonly string[] =>
  [...proseOf(page).matchAll(/^#{1,6} (.*?)\s*$/gm)].map(([, heading = '']) => anchorOf(heading));

/** The id that a Markdown heading gets in a rendered page. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');

const FOLDERS = '(?:src|workflows|activities|worker|test|docs|examples|\\.ci)';

/** In commands and examples of output pages of people have their place, too. */
const withoutExamples = (page: string): string =>
  page.replace(/^```[\s\S]*?^```/gm, (block) => block.replaceAll('docs/', ''));

/**
 * Files and folders of the repository that a text names; what has `*`, `…` or `<…>` in it stands for many, and what
 * ends with `.js` for somebody else's.
 */
export const pathsIn = (text: string): readonly string[] =>
  [...withoutExamples(text).matchAll(new RegExp(`(?<![\\w./-])${FOLDERS}/[\\w./*…<-]*`, 'g'))]
    .map(([path]) => path.replace(/[./]+$/, ''))
    .filter((path) => !/[*…<]|\.js$/.test(path));

/** Names in backticks that can be nothing but a source file, without a folder. */
export const fileNamesIn = (text: string): readonly string[] =>
  [...text.matchAll(/`([a-z][\w-]*(?:\.test)?\.(?:tsx?|mjs))`/g)].map(([, name = '']) => name);

/** Commits that a page shows by their short ids. */
export const commitsIn = (page: string): readonly string[] =>
  [...page.matchAll(/`([0-9a-f]{7})`/g)].map(([, commit = '']) => commit);
