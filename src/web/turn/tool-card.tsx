import { memo } from 'react';
import { actionName, byteWords, callSubject, durationWords, readableArguments } from './call-words.ts';
import type { CallEntry, CallState, FileEntry } from './answer-view.ts';
import { Payload } from '../parts/payload.tsx';

const STATES: Readonly<Record<CallState, { mark: string; words: string }>> = {
  asked: { mark: '○', words: 'asked for' },
  running: { mark: '◐', words: 'running' },
  waiting: { mark: '◔', words: 'waits for you' },
  ok: { mark: '✓', words: 'done' },
  failed: { mark: '✗', words: 'failed' },
  unused: { mark: '–', words: 'not run' },
};

/** One tool call: what it is about and what became of it on one line, the rest when it is opened. */
export const ToolCard = memo(({ call }: { call: CallEntry }) => {
  const { mark, words } = STATES[call.state];
  return (
    <details className={`card call ${call.state}`}>
      <summary>
        <span className="mark" aria-hidden="true">
          {mark}
        </span>
        <span className="what">
          <strong>{actionName(call.name)}</strong>{' '}
          <span className="subject">{callSubject(call.arguments)}</span>
        </span>
        <span className="fact">
          {call.durationMs === undefined ? words : `${words} in ${durationWords(call.durationMs)}`}
        </span>
      </summary>
      <Payload title="Arguments" text={readableArguments(call.arguments)} />
      {call.bytes !== undefined && <p className="fact">The result has {byteWords(call.bytes)}.</p>}
      {call.content !== undefined && <Payload title="Result" text={call.content} />}
    </details>
  );
});

const STAGES: Readonly<Record<FileEntry['file']['stage'], string>> = {
  begun: 'being written',
  content_complete: 'complete, not yet in place',
  committed: 'written',
  open: 'left open',
  failed: 'not written',
};

/** A file of a write session: where it goes, how far it is. */
export const FileCard = memo(({ entry: { file } }: { entry: FileEntry }) => (
  <div className={`card file ${file.stage}`}>
    <span className="mark" aria-hidden="true">
      ▤
    </span>
    <span className="what">
      <strong>{file.target}</strong>
    </span>
    <span className="fact">
      {STAGES[file.stage]}
      {file.bytes > 0 && `, ${file.lines} lines, ${byteWords(file.bytes)}`}
    </span>
    {file.error !== undefined && <p className="problem">{file.error}</p>}
  </div>
));
