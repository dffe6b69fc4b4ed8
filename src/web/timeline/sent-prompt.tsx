import { useCallback, useState } from 'react';
import type { SentPromptResponse } from '../../contracts/http/prompt-api.ts';
import { numberWords } from '../wording/number-words.ts';
import { Problem } from '../components/problem.tsx';
import { readSentPrompt, type SentPromptPage } from '../http/trace-requests.ts';
import { useRequest } from '../http/use-request.ts';

type ShownBlock = SentPromptResponse['blocks'][number];

interface CallProps {
  readonly turnId: string;
  /** The number of the model call in its turn, from 1. */
  readonly step: number;
}

interface PlaceProps extends CallProps {
  /** Offset in the prompt of the first message that is shown. */
  readonly offset: number;
}

/** Largest number of messages that one request reads. */
const PAGE_SIZE = 20;
/** Largest number of characters that are shown of each message at first. */
const FEW_CHARACTERS = 2_000;
/**
 * Largest number of characters that are shown of a message once a person asks for more. The gateway sends no more than
 * this.
 */
const MOST_CHARACTERS = 16_000;

/** Shows what a model call was sent, message by message. The messages are read once a person opens the part. */
export const SentPromptView = (call: CallProps) => {
  const [isOpen, setOpen] = useState(false);
  const [tries, setTries] = useState(0);
  return (
    <details className="sent" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>What it was sent</summary>
      {isOpen && <MessagePage key={tries} {...call} offset={0} retry={() => setTries(tries + 1)} />}
    </details>
  );
};

/** Shows one page of messages, and the pages after it once a person asks for them. */
const MessagePage = ({ turnId, step, offset, retry }: PlaceProps & { readonly retry: () => void }) => {
  const result = usePage({ turnId, step, offset, limit: PAGE_SIZE, characters: FEW_CHARACTERS });
  const [isNextPageOpen, setNextPageOpen] = useState(false);
  if (!result) return <p className="fact">Reading …</p>;
  if (!result.ok) return <Problem failure={result.failure} retry={retry} />;
  const { blocks, tokens, total, nextOffset, isWhole } = result.value;
  return (
    <>
      {offset === 0 && (
        <p className="fact">
          {numberWords(total)} messages, about {numberWords(tokens)} tokens
          {!isWhole && ', without the oldest turns'}
        </p>
      )}
      <ol aria-label={`Messages from ${offset + 1} on`}>
        {blocks.map((block, index) => (
          <Message key={offset + index} block={block} turnId={turnId} step={step} offset={offset + index} />
        ))}
      </ol>
      {nextOffset !== null && !isNextPageOpen && (
        <button type="button" className="quiet" onClick={() => setNextPageOpen(true)}>
          More messages
        </button>
      )}
      {nextOffset !== null && isNextPageOpen && (
        <MessagePage turnId={turnId} step={step} offset={nextOffset} retry={() => setNextPageOpen(false)} />
      )}
    </>
  );
};

const usePage = ({ turnId, step, offset, limit, characters }: SentPromptPage) =>
  useRequest(
    useCallback(
      () => readSentPrompt({ turnId, step, offset, limit, characters }),
      [turnId, step, offset, limit, characters],
    ),
  );

const ROLES: Readonly<Record<ShownBlock['role'], string>> = {
  system: 'System',
  user: 'Person',
  assistant: 'Model',
  tool: 'Result of a tool',
};
const PARTS: Readonly<Record<ShownBlock['part'], string>> = {
  system: '',
  earlier: 'of an earlier turn',
  own: '',
};

const Message = ({ block, ...place }: PlaceProps & { readonly block: ShownBlock }) => {
  const [isExpanded, setExpanded] = useState(false);
  const facts = [
    PARTS[block.part],
    block.isLeftOut ? 'did not fit' : '',
    `${numberWords(block.tokens)} tokens`,
  ];
  return (
    <li>
      <p>
        <strong>{ROLES[block.role]}</strong>{' '}
        <span className="fact">{facts.filter((fact) => fact !== '').join(' · ')}</span>
      </p>
      {isExpanded ? (
        <LongText {...place} beginning={block.content} retry={() => setExpanded(false)} />
      ) : (
        <Text text={block.content} />
      )}
      {block.isCut && !isExpanded && (
        <button type="button" className="quiet" onClick={() => setExpanded(true)}>
          Show more of it
        </button>
      )}
    </li>
  );
};

interface LongTextProps extends PlaceProps {
  readonly beginning: string;
  readonly retry: () => void;
}

/** Shows the text of a message as far as it is available. Until that text has come, shows its beginning. */
const LongText = ({ beginning, retry, ...place }: LongTextProps) => {
  const result = usePage({ ...place, limit: 1, characters: MOST_CHARACTERS });
  const block = result?.ok === true ? result.value.blocks[0] : undefined;
  return (
    <>
      <Text text={block?.content ?? beginning} />
      {result?.ok === false && <Problem failure={result.failure} retry={retry} />}
      {block?.isCut === true && <p className="fact">Its first {numberWords(MOST_CHARACTERS)} characters.</p>}
    </>
  );
};

const Text = ({ text }: { text: string }) => (
  <pre dir="auto" tabIndex={0}>
    {text}
  </pre>
);
