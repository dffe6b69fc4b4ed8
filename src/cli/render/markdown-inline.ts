import type { MarkedToken, Token } from 'marked';
import type { Colors } from './colors.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

/** Renders the text within a block, on as many lines as the source had. */
export const renderInline = (tokens: readonly Token[], colors: Colors): string =>
  tokens.map((token) => renderSpan(toMarkedToken(token), colors)).join('');

const renderSpan = (token: MarkedToken, colors: Colors): string => {
  switch (token.type) {
    case 'strong':
      return colors.bold(renderInline(token.tokens, colors));
    case 'em':
      return colors.italic(renderInline(token.tokens, colors));
    case 'del':
      return colors.strikethrough(renderInline(token.tokens, colors));
    case 'codespan':
      return colors.cyan(token.text);
    case 'br':
      return '\n';
    case 'link':
      return renderLink(renderInline(token.tokens, colors), token.href, colors);
    case 'image':
      return renderLink(token.text, token.href, colors);
    case 'escape':
      return token.text;
    case 'text':
      return token.tokens === undefined ? unescapeEntities(token.text) : renderInline(token.tokens, colors);
    default:
      return token.raw;
  }
};

/**
 * Returns a link as its text and its address, unless they are the same. A terminal cannot show the address otherwise.
 */
const renderLink = (text: string, href: string, colors: Colors): string =>
  text === href || href === `mailto:${text}`
    ? colors.underline(text)
    : `${colors.underline(text)} ${colors.dim(`(${href})`)}`;

const unescapeEntities = (text: string): string =>
  text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity);

/** Narrows a token to those of marked itself, because no extension adds others here. */
const toMarkedToken = (token: Token): MarkedToken => token as MarkedToken;
