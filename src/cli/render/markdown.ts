import { marked, type MarkedToken, type Token, type Tokens } from 'marked';
import type { Colors } from './colors.ts';
import { renderInline } from './markdown-inline.ts';
import { widthOf } from './text-width.ts';
import { wrapWords } from './wrap-words.ts';

/**
 * Returns the blocks of Markdown source, in order. Their `raw` texts make the whole source, in which marked may have
 * normalised tabs.
 */
export const readBlocks = (source: string): readonly Token[] => marked.lexer(source);

/**
 * Renders a block of Markdown for a terminal of `columns` cells, without a line break at its end. Code is only
 * indented, and anything unknown stays as it was written, so that both can be copied.
 */
export const renderBlock = (block: Token, colors: Colors, columns: number): string => {
  const token = block as MarkedToken;
  switch (token.type) {
    case 'heading':
      return wrapWords(renderHeading(token, colors), columns);
    case 'paragraph':
      return wrapWords(renderInline(token.tokens, colors), columns);
    case 'text':
      return wrapWords(token.tokens === undefined ? token.text : renderInline(token.tokens, colors), columns);
    case 'code':
      return indent(token.text, '    ', '    ');
    case 'blockquote':
      return indent(renderBlocks(token.tokens, colors, columns - 2), colors.dim('│ '), colors.dim('│ '));
    case 'list':
      return renderList(token, colors, columns);
    case 'table':
      return renderTable(token, colors);
    case 'hr':
      return colors.dim('─'.repeat(Math.min(40, columns)));
    case 'space':
      return '';
    default:
      return token.raw.trimEnd();
  }
};

const renderBlocks = (blocks: readonly Token[], colors: Colors, columns: number): string =>
  blocks
    .filter(({ type }) => type !== 'space')
    .map((block) => renderBlock(block, colors, columns))
    .join('\n');

const renderHeading = ({ depth, tokens }: Tokens.Heading, colors: Colors): string => {
  const text = colors.bold(renderInline(tokens, colors));
  return depth === 1 ? colors.underline(text) : text;
};

const renderList = ({ ordered, start, items }: Tokens.List, colors: Colors, columns: number): string =>
  items
    .map((item, i) => {
      const bullet = ordered ? `${(start === '' ? 1 : start) + i}. ` : '• ';
      const blocks = item.tokens.filter(({ type }) => type !== 'checkbox');
      const checkbox = item.checked === true ? '[x] ' : '[ ] ';
      const box = item.task ? checkbox : '';
      const shown = renderBlocks(blocks, colors, columns - bullet.length - box.length);
      return indent(box + shown, bullet, ' '.repeat(bullet.length));
    })
    .join('\n');

const indent = (text: string, firstPrefix: string, otherPrefix: string): string =>
  text
    .split('\n')
    .map((line, i) => {
      if (i === 0) return firstPrefix + line;
      return line === '' ? '' : otherPrefix + line;
    })
    .join('\n');

const renderTable = ({ header, rows }: Tokens.Table, colors: Colors): string => {
  const cells = [header, ...rows].map((row) => row.map(({ tokens }) => renderInline(tokens, colors)));
  const widths = header.map((_, column) => Math.max(...cells.map((row) => widthOf(row[column] ?? ''))));
  const lines = cells.map((row) =>
    row
      .map((cell, i) => pad(cell, widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const rule = colors.dim(widths.map((width) => '─'.repeat(width)).join('  '));
  return [lines[0], rule, ...lines.slice(1)].join('\n');
};

const pad = (text: string, width: number): string => text + ' '.repeat(width - widthOf(text));
