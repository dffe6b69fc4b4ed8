import { memo, useState } from 'react';
import { toolAction } from '../../contracts/tools/tool-name.ts';
import { Payload } from '../components/payload.tsx';
import type { CallEntry, CallState } from './answer-entry.ts';
import { CallResult } from './call-result.tsx';
import { callSubject, readableArguments } from './call-words.ts';
import { durationWords } from '../wording/number-words.ts';

const STATES: Readonly<Record<CallState, { mark: string; words: string }>> = {
  asked: { mark: '○', words: 'asked for' },
  running: { mark: '◐', words: 'running' },
  waiting: { mark: '◔', words: 'waits for you' },
  ok: { mark: '✓', words: 'done' },
  failed: { mark: '✗', words: 'failed' },
  unused: { mark: '–', words: 'not run' },
};

/**
 * Shows a tool call: subject and outcome on one line, arguments and result once it is opened. `output` is what a
 * running command has written so far.
 */
export const ToolCard = memo(({ call, output }: { call: CallEntry; output: string | undefined }) => {
  const [isOpen, setOpen] = useState(false);
  const { mark, words } = STATES[call.state];
  const hasEnded = call.state === 'ok' || call.state === 'failed';
  return (
    <div className={`card call ${call.state}`}>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <span className="mark" aria-hidden="true">
            {mark}
          </span>
          <span className="what">
            <strong>{toolAction(call.name)}</strong>{' '}
            <span className="subject">{callSubject(call.arguments)}</span>
          </span>
          <span className="fact">
            {call.durationMs === undefined ? words : `${words} in ${durationWords(call.durationMs)}`}
          </span>
        </summary>
        <Payload title="Arguments" text={readableArguments(call.arguments)} />
        {isOpen && hasEnded && <CallResult call={call} />}
      </details>
      {output !== undefined && (
        <pre className="growing" dir="ltr" role="region" aria-label="Output so far">
          {output}
        </pre>
      )}
    </div>
  );
});
