import { memo } from 'react';
import { InputRequestCard } from '../input-requests/input-request-card.tsx';
import { Markdown } from '../markdown/markdown.tsx';
import { FileCard } from '../changes/file-card.tsx';
import { splitWrittenText } from '../changes/file-text.ts';
import type { RunningOutput } from '../turn/running-output.ts';
import { ToolCard } from '../turn/tool-card.tsx';
import type { TerminalEvent } from '../../contracts/wire/turn-event.ts';
import type { AnswerView } from '../turn/answer-view.ts';
import type { AnswerEntry, CallEntry, FileEntry, InputEntry } from '../turn/answer-entry.ts';
import { Payload } from '../components/payload.tsx';
import { usageWords } from '../wording/token-words.ts';

/** Shows an answer from top to bottom: words of the model, notices, tool calls, files, requests. */
export const AnswerParts = ({ view, output }: { view: AnswerView; output: RunningOutput }) => (
  <>
    {view.entries.map((entry, index) => (
      <Entry
        key={entry.seq}
        entry={entry}
        output={entry.kind === 'call' ? output.get(entry.callId) : undefined}
        answeredCall={entry.kind === 'input' ? findAnsweredCall(view.entries, entry) : undefined}
        isOver={view.end !== null}
        isLast={index === view.entries.length - 1}
      />
    ))}
  </>
);

/**
 * Matches the words with which notices begin. They are left out, because the frame of a notice already marks it as one.
 */
const NOTICE_LABEL = /^\s*\*\*System Notice\*\*:?\s*/;

/**
 * Returns the call with which the model has asked a question, once its result contains the answer. Returns undefined
 * until then, and for other requests.
 */
const findAnsweredCall = (
  entries: readonly AnswerEntry[],
  { seq, request: { kind, callId } }: InputEntry,
): CallEntry | undefined => {
  if (kind !== 'question') return undefined;
  const call = entries.findLast(
    (entry) => entry.kind === 'call' && entry.callId === callId && entry.seq < seq && entry.state === 'ok',
  );
  return call?.kind === 'call' ? call : undefined;
};

interface EntryProps {
  readonly entry: AnswerEntry;
  readonly answeredCall: CallEntry | undefined;
  readonly output: string | undefined;
  readonly isOver: boolean;
  readonly isLast: boolean;
}

const Entry = memo(({ entry, answeredCall, output, isOver, isLast }: EntryProps) => {
  switch (entry.kind) {
    case 'text':
      return <Markdown text={entry.text} isWhole={isOver || !isLast} />;
    case 'notice':
      return <NoticeBox entry={entry} />;
    case 'call':
      return <ToolCard call={entry} output={entry.state === 'running' ? output : undefined} />;
    case 'file':
      return <WrittenFile entry={entry} isOver={isOver} />;
    case 'steer':
      return (
        <p className="user-message steer" dir="auto">
          {entry.text}
        </p>
      );
    case 'input':
      return <InputRequestCard entry={entry} answeredCall={answeredCall} isOver={isOver} />;
    default:
      return entry satisfies never;
  }
});

type NoticeEntry = Extract<AnswerEntry, { kind: 'notice' }>;

const NoticeBox = ({ entry: { notice, text } }: { entry: NoticeEntry }) =>
  notice === 'tool_result' ? (
    // The text is JSON between rules, whose lines Markdown would join.
    <Payload title="Result of a tool" text={text.trim()} />
  ) : (
    <aside className="notice" aria-label="Notice of Orion">
      <Markdown text={text.replace(NOTICE_LABEL, '').trim()} isWhole />
    </aside>
  );

/** Shows a file, and the remark of the model after its end. */
const WrittenFile = ({ entry, isOver }: { entry: FileEntry; isOver: boolean }) => {
  const remark = entry.file.stage === 'begun' ? '' : splitWrittenText(entry.text).remark;
  return (
    <>
      <FileCard entry={entry} isOver={isOver} />
      {remark !== '' && <Markdown text={remark} isWhole />}
    </>
  );
};

/**
 * Words for the reasons with which a turn may end. A reason that is missing needs no words, because the answer says
 * enough.
 */
const REASONS: Readonly<Record<string, string>> = {
  cycles: 'It may run no more tools.',
  duplicates: 'It asked for the same again and again.',
  malformed: 'Its calls could not be read.',
  refusals: 'Too many of its calls were refused.',
  no_progress: 'It made no progress.',
  repetition: 'It repeated itself.',
  time: 'Its time was over.',
  tokens: 'Its tokens were used up.',
  cost: 'It may cost no more.',
  length: 'The answer reached the longest that the model may give.',
  cancelled: 'Stopped.',
};

interface AnswerEndProps {
  readonly end: Extract<TerminalEvent, { type: 'done' }>;
  /** The models in the order in which they were asked. Empty if they are not known. */
  readonly models: readonly string[];
}

/** Shows the tokens of the turn, the models that answered, and why the turn ended if the answer does not say enough. */
export const AnswerEnd = ({ end, models }: AnswerEndProps) => {
  const words = REASONS[end.reason];
  const facts = [models.join(', then '), usageWords(end.usage)].filter((fact) => fact !== '');
  return (
    <p>
      {words !== undefined && <span>{words} </span>}
      <span className="fact">{facts.join(' · ')}</span>
    </p>
  );
};
