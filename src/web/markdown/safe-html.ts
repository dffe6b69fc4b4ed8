/* Turns Markdown of models, tools and files into HTML without scripts, styles or anything that is loaded. */
import DOMPurify from 'dompurify';
import { Marked, type Token } from 'marked';

const TAGS =
  'a b blockquote br code dd del dl dt em h3 h4 h5 h6 hr i kbd li ol p pre s strong sub sup table tbody td th thead tr ul'.split(
    ' ',
  );

/** Number of levels by which the headings of an answer are lowered, so that they are below those of the page. */
const HEADING_SHIFT = 2;

const marked = new Marked({
  renderer: {
    // Text that looks like HTML is shown as it was written.
    html: ({ text }) => escaped(text),
    // A picture from elsewhere would tell its server who reads the page.
    image: ({ href, text }) => `<a href="${escaped(href)}">${escaped(text === '' ? href : text)}</a>`,
    checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
    heading({ tokens, depth }) {
      const level = Math.min(depth + HEADING_SHIFT, 6);
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>\n`;
    },
  },
});

// A link opens another tab, and does not tell the other site where the reader came from.
DOMPurify.addHook('afterSanitizeAttributes', (node) => {
  if (node.tagName !== 'A' || !node.hasAttribute('href')) return;
  node.setAttribute('target', '_blank');
  node.setAttribute('rel', 'noopener noreferrer nofollow');
});

/** Returns the elements of one block, ready to be inserted. Links lead only to http, https and mailto addresses. */
export const safeFragment = (block: Token): DocumentFragment =>
  DOMPurify.sanitize(marked.parser([block]), {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ['href', 'title', 'align', 'start'],
    ALLOWED_URI_REGEXP: /^(?:https?:|mailto:)/i,
    RETURN_DOM_FRAGMENT: true,
  });

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
