import { useContext, useEffect, useState } from 'react';
import type { TraceEvent } from '../../contracts/http/trace-api.ts';
import { fieldsOf } from '../../contracts/values/unchecked-value.ts';
import { DiffView } from '../components/diff-view.tsx';
import { Payload } from '../components/payload.tsx';
import { Problem } from '../components/problem.tsx';
import type { Failure } from '../http/request-failure.ts';
import { readTurnTrace } from '../http/trace-requests.ts';
import type { CallEntry } from './answer-entry.ts';
import { callSubject } from './call-words.ts';
import { byteWords } from '../wording/number-words.ts';
import { CurrentTurn } from './current-turn.ts';

interface CallResultState {
  /** The text of the result. Undefined until it is read, after a failure, and if it is not kept. */
  readonly text: string | undefined;
  readonly failure: Failure | undefined;
  readonly isRead: boolean;
  readonly readAgain: () => void;
}

/** Returns the result of a call that has ended. Reads it from the trace, unless the stream brought it. */
export const useCallResult = (call: CallEntry): CallResultState => {
  const { projectId, turnId } = useContext(CurrentTurn);
  const [text, setText] = useState(call.content);
  const [failure, setFailure] = useState<Failure>();
  const [isRead, setRead] = useState(call.content !== undefined);
  useEffect(() => {
    if (isRead) return;
    const readResult = async (): Promise<void> => {
      const trace = await readTurnTrace(projectId, turnId, 'tool_result');
      if (trace.ok) setText(resultIn(trace.value, call));
      setFailure(trace.ok ? undefined : trace.failure);
      setRead(true);
    };
    void readResult();
  }, [projectId, turnId, call, isRead]);
  return { text, failure, isRead, readAgain: () => setRead(false) };
};

/** Shows the result of an ended call, as a diff if it begins like one. */
export const CallResult = ({ call }: { call: CallEntry }) => {
  const { text, failure, isRead, readAgain } = useCallResult(call);
  if (failure) return <Problem failure={failure} retry={readAgain} />;
  if (!isRead) return <p className="fact">Reading the result …</p>;
  if (text === undefined) {
    return (
      <p className="fact">
        The result{call.bytes !== undefined && ` (${byteWords(call.bytes)})`} is not kept.
      </p>
    );
  }
  if (text.startsWith('--- ')) return <DiffView diff={text} target={callSubject(call.arguments)} />;
  return <Payload title="Result" text={text} />;
};

/**
 * Returns the result of a call in the trace. Some providers give several calls one id. Then it is the result of the
 * call with the same duration, or of the last call with that id.
 */
const resultIn = (trace: readonly TraceEvent[], { callId, durationMs }: CallEntry): string | undefined => {
  const results = trace
    .map(({ details, error }) => ({ fields: fieldsOf(details), error }))
    .filter(({ fields }) => fields['toolCallId'] === callId);
  const match = results.find(({ fields }) => fields['durationMs'] === durationMs) ?? results.at(-1);
  const text = match?.fields['result'] ?? match?.fields['error'] ?? match?.error;
  if (text === undefined || text === null) return undefined;
  return typeof text === 'string' ? text : JSON.stringify(text, null, 2);
};
