import { memo, useState } from 'react';
import type { ReplyBody } from '../../contracts/inputs/reply.ts';
import type { InputRequested, InputResolved } from '../../contracts/wire/input-events.ts';
import { Problem } from '../components/problem.tsx';
import type { Failure } from '../http/request-failure.ts';
import { replyToInput } from '../http/reply-requests.ts';
import type { CallEntry, InputEntry } from '../turn/answer-entry.ts';
import { useCallResult } from '../turn/call-result.tsx';
import { parseCallArguments, readableArguments } from '../turn/call-words.ts';
import { Payload } from '../components/payload.tsx';
import { ApprovalReply } from './approval-reply.tsx';
import { DiffView } from '../components/diff-view.tsx';
import { lateWords, replyWords, type SendReply } from './reply-words.ts';
import { allowedRequest, inputRequestWords } from './input-request-words.ts';
import { QuestionReply } from './question-reply.tsx';
import { type LoadedRequest, useWholeRequest } from './use-whole-request.ts';

interface InputRequestCardProps {
  readonly entry: InputEntry;
  /** The call of a question that was answered. Undefined until the question is answered, and for other requests. */
  readonly answeredCall: CallEntry | undefined;
  readonly isOver: boolean;
}

/** Shows a request to a person at its place in the answer, with ways to reply. Once it is resolved, shows the reply. */
export const InputRequestCard = memo(
  ({ entry: { request, resolution }, answeredCall, isOver }: InputRequestCardProps) => {
    const isOpen = resolution === undefined && !isOver;
    const loaded = useWholeRequest(request, isOpen);
    // The state is in this component because it must outlive `OpenRequest`, which disappears when another reply closes
    // the request.
    const [refusedReply, setRefusedReply] = useState<ReplyBody['reply']>();
    const late = refusedReply !== undefined && resolution && lateWords(refusedReply, resolution);
    return (
      <section className={`card input ${isOpen ? 'open' : 'closed'}`} aria-label="Needs a reply">
        <p className="asked" dir="auto">
          {inputRequestWords(allowedRequest(loaded.request, resolution))}
        </p>
        {isOpen ? (
          <OpenRequest loaded={loaded} onRefused={setRefusedReply} />
        ) : (
          <ClosedRequest request={loaded.request} resolution={resolution} answeredCall={answeredCall} />
        )}
        {late && (
          <p className="fact" role="status">
            {late}
          </p>
        )}
      </section>
    );
  },
);

interface ClosedRequestProps {
  readonly request: InputRequested;
  readonly resolution: InputResolved | undefined;
  readonly answeredCall: CallEntry | undefined;
}

/**
 * Shows the reply. A request about a call can be opened, and then shows the call, with the edited arguments if there
 * are some.
 */
const ClosedRequest = ({ request, resolution, answeredCall }: ClosedRequestProps) => {
  const outcome = resolution ? replyWords(resolution) : 'The turn ended first';
  const { kind } = request;
  if (kind === 'question' || kind === 'limit') {
    return (
      <p className="outcome" dir="auto">
        {outcome}
        {answeredCall && <GivenAnswerText call={answeredCall} />}
      </p>
    );
  }
  return (
    <details>
      <summary>{outcome}</summary>
      <RequestedChange request={allowedRequest(request, resolution)} />
    </details>
  );
};

/** Shows the words with which a person has answered a question. */
const GivenAnswerText = ({ call }: { call: CallEntry }) => {
  const { text } = useCallResult(call);
  const { answer } = parseCallArguments(text ?? '');
  return typeof answer === 'string' ? `: “${answer}”` : null;
};

/** Shows the change that a call would make, as a diff if there is one, otherwise as the arguments of the call. */
const RequestedChange = ({
  request: { kind, diff, target, arguments: argumentsText },
}: {
  request: InputRequested;
}) => {
  if (kind === 'question' || kind === 'limit') return null;
  if (diff !== undefined) return <DiffView diff={diff} target={target ?? 'the file'} />;
  return argumentsText === undefined ? null : (
    <Payload title="Arguments" text={readableArguments(argumentsText)} />
  );
};

interface OpenRequestProps {
  readonly loaded: LoadedRequest;
  /** Called when a reply was refused because the request was already closed. */
  readonly onRefused: (reply: ReplyBody['reply']) => void;
}

const OpenRequest = ({ loaded, onRefused }: OpenRequestProps) => {
  const { request, isCut } = loaded;
  const [isSending, setSending] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const send = async (reply: ReplyBody): Promise<void> => {
    setSending(true);
    setFailure(undefined);
    const result = await replyToInput(request.inputId, reply);
    // The event that closes the request replaces this component. Until then nothing more can be replied.
    if (result.ok) return;
    if (result.failure.code === 'input_closed') onRefused(reply.reply);
    setFailure(result.failure);
    setSending(false);
  };
  const onReply: SendReply = (reply) => void send(reply);
  return (
    <>
      <RequestedChange request={request} />
      {isCut && <MissingRest loaded={loaded} />}
      <fieldset disabled={isSending}>
        <legend className="hidden">Reply</legend>
        <Replies request={request} isCut={isCut} onReply={onReply} />
      </fieldset>
      {failure && <Problem failure={failure} />}
    </>
  );
};

/** Says that only the beginning of a request is shown, and why if the rest could not be read. */
const MissingRest = ({ loaded: { failure, retry } }: { loaded: LoadedRequest }) =>
  failure === undefined ? (
    <p className="fact" role="status">
      Only the beginning is shown. Reading the rest …
    </p>
  ) : (
    <Problem failure={{ message: `Only the beginning is shown. ${failure.message}` }} retry={retry} />
  );

interface RepliesProps {
  readonly request: InputRequested;
  /** True while only the beginning of the request is shown. */
  readonly isCut: boolean;
  readonly onReply: SendReply;
}

const Replies = ({ request, isCut, onReply }: RepliesProps) => {
  switch (request.kind) {
    case 'approval':
    case 'commit':
      return <ApprovalReply request={request} isCut={isCut} onReply={onReply} />;
    case 'question':
      return <QuestionReply request={request} onReply={onReply} />;
    case 'limit':
      return <LimitReply onReply={onReply} />;
    case 'client_tool':
      return <p className="fact">The client that started this turn answers it.</p>;
    default:
      return request.kind satisfies never;
  }
};

/** Lets a person choose, when the turn has reached a limit, whether it continues or answers with what it has. */
const LimitReply = ({ onReply }: { onReply: SendReply }) => (
  <div className="replies">
    <button type="button" className="main" onClick={() => onReply({ reply: 'keep_going' })}>
      Keep going
    </button>
    <button type="button" onClick={() => onReply({ reply: 'answer_now' })}>
      Answer now
    </button>
  </div>
);
