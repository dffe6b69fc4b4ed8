import { marked, type MarkedToken, type Token, type Tokens } from 'marked';
import { stripVTControlCharacters } from 'node:util';
import type { Colors } from './colors.ts';
import { renderInline } from './markdown-inline.ts';

/** Blocks of Markdown source, in order; their `raw` texts make the whole source. */
export const readBlocks = (source: string): readonly Token[] => marked.lexer(source);

const indent = (text: string, first: string, rest: string): string =>
  text
    .split('\n')
    .map((line, i) => (i === 0 ? first : line === '' ? '' : rest) + line)
    .join('\n');

/**
 * A block of Markdown as a terminal shows it, without a line break at its end. Code and anything unknown stays
 * as it was written, so that it can be copied.
 */
export const renderBlock = (block: Token, colors: Colors): string => {
  const token = block as MarkedToken;
  switch (token.type) {
    case 'heading':
      return heading(token, colors);
    case 'paragraph':
      return renderInline(token.tokens, colors);
    case 'text':
      return token.tokens === undefined ? token.text : renderInline(token.tokens, colors);
    case 'code':
      return indent(token.text, '    ', '    ');
    case 'blockquote':
      return indent(renderBlocks(token.tokens, colors), colors.dim('│ '), colors.dim('│ '));
    case 'list':
      return list(token, colors);
    case 'table':
      return table(token, colors);
    case 'hr':
      return colors.dim('─'.repeat(40));
    case 'space':
      return '';
    default:
      return token.raw.trimEnd();
  }
};

const renderBlocks = (blocks: readonly Token[], colors: Colors): string =>
  blocks
    .filter(({ type }) => type !== 'space')
    .map((block) => renderBlock(block, colors))
    .join('\n');

const heading = ({ depth, tokens }: Tokens.Heading, colors: Colors): string => {
  const text = colors.bold(renderInline(tokens, colors));
  return depth === 1 ? colors.underline(text) : text;
};

const list = ({ ordered, start, items }: Tokens.List, colors: Colors): string =>
  items
    .map((item, i) => {
      const bullet = ordered ? `${(start === '' ? 1 : start) + i}. ` : '• ';
      const blocks = item.tokens.filter(({ type }) => type !== 'checkbox');
      const box = item.task ? (item.checked === true ? '[x] ' : '[ ] ') : '';
      return indent(box + renderBlocks(blocks, colors), bullet, ' '.repeat(bullet.length));
    })
    .join('\n');

const table = ({ header, rows }: Tokens.Table, colors: Colors): string => {
  const cells = [header, ...rows].map((row) => row.map(({ tokens }) => renderInline(tokens, colors)));
  const widths = header.map((_, column) => Math.max(...cells.map((row) => visibleLength(row[column]))));
  const lines = cells.map((row) =>
    row
      .map((cell, i) => pad(cell, widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const rule = colors.dim(widths.map((width) => '─'.repeat(width)).join('  '));
  return [lines[0], rule, ...lines.slice(1)].join('\n');
};

const visibleLength = (text = ''): number => stripVTControlCharacters(text).length;

const pad = (text: string, width: number): string => text + ' '.repeat(width - visibleLength(text));
