import type { Token } from 'marked';
import { memo, useLayoutEffect, useRef, useState } from 'react';
import { CopyButton } from '../components/copy-button.tsx';
import { blocksOfWhole, EMPTY_BLOCKS, PLAIN_TEXT, splitBlocks } from './blocks.ts';
import { safeFragment } from './safe-html.ts';

/**
 * Renders Markdown that may still grow. `isWhole` is true once it no longer grows. A block whose text and links have
 * not changed is not rendered again.
 */
export const Markdown = ({ text, isWhole }: { text: string; isWhole: boolean }) => {
  const [before, setBefore] = useState(EMPTY_BLOCKS);
  const after = isWhole ? blocksOfWhole(before, text) : splitBlocks(before, text);
  if (after !== before) setBefore(after);
  return (
    <div className="markdown">
      {after.blocks.map((block, index) =>
        // While a text grows, only its last blocks change, so the index is a stable key.
        block.type === 'space' ? null : (
          <Block key={index} block={block} definitions={block.raw.includes('[') ? after.definitions : ''} />
        ),
      )}
    </div>
  );
};

interface BlockProps {
  readonly block: Token;
  /** The definitions that links in the block may lead to, as JSON. */
  readonly definitions: string;
}

const Block = memo(
  ({ block }: BlockProps) => {
    if (block.type === PLAIN_TEXT) {
      return (
        <p className="plain" dir="auto">
          {block.raw}
        </p>
      );
    }
    if (block.type !== 'code') return <HtmlBlock block={block} />;
    return <CodeBlock text={String(block['text'])} language={String(block['lang'] ?? '')} />;
  },
  (before, after) =>
    before.block.raw === after.block.raw &&
    before.block.type === after.block.type &&
    before.definitions === after.definitions,
);

const HtmlBlock = ({ block }: { block: Token }) => {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => element.current?.replaceChildren(safeFragment(block)), [block]);
  // A block that scrolls sideways must be focusable, so that keys can scroll it.
  const scrolls = block.type === 'table' && { role: 'region', 'aria-label': 'Table', tabIndex: 0 };
  // Each block has the direction of its own first letter, since an answer in Hebrew may quote English, and the other
  // way round.
  return <div className="block" dir="auto" ref={element} {...scrolls} />;
};

const CodeBlock = ({ text, language }: { text: string; language: string }) => (
  <figure className="code" dir="ltr">
    <figcaption>
      <span>{language || 'text'}</span>
      <CopyButton text={text} what="code" />
    </figcaption>
    <pre tabIndex={0}>
      <code>{text}</code>
    </pre>
  </figure>
);
