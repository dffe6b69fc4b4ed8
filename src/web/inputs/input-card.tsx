import { memo, useEffect, useState } from 'react';
import type { ReplyBody } from '../../contracts/inputs/reply.ts';
import type { InputRequested } from '../../contracts/wire/input-events.ts';
import { Problem } from '../parts/problem.tsx';
import type { Failure } from '../server/gateway-request.ts';
import { replyToInput, wholeInput } from '../server/requests.ts';
import type { InputEntry } from '../turn/answer-view.ts';
import { readableArguments } from '../turn/call-words.ts';
import { Payload } from '../parts/payload.tsx';
import { ApprovalReply } from './approval-reply.tsx';
import { DiffView } from '../parts/diff-view.tsx';
import { replyWords, type SendReply } from './input-words.ts';
import { LimitReply, QuestionReply } from './question-reply.tsx';

/** A request to a person, at the place where the answer waits for it; once resolved, the reply. */
export const InputCard = memo(({ entry, isOver }: { entry: InputEntry; isOver: boolean }) => {
  const { request, resolution } = entry;
  const isOpen = resolution === undefined && !isOver;
  const whole = useWhole(request, isOpen);
  const outcome = resolution ? replyWords(resolution) : 'The turn ended first';
  return (
    <section className={`card input ${isOpen ? 'open' : 'closed'}`} aria-label="Needs a reply">
      <p className="asked" dir="auto">
        {request.message}
      </p>
      {isOpen ? (
        <OpenRequest request={whole} />
      ) : (
        <details>
          <summary>{outcome}</summary>
          <Shown request={whole} />
        </details>
      )}
    </section>
  );
});

/** Events carry the beginning of what is asked; the whole is read where a person has to judge it. */
const useWhole = (request: InputRequested, isOpen: boolean): InputRequested => {
  const [whole, setWhole] = useState(request);
  useEffect(() => {
    if (request.truncated !== true || !isOpen) return;
    const read = async (): Promise<void> => {
      const answer = await wholeInput(request.inputId);
      if (answer.ok) setWhole({ ...answer.value.input, type: 'input_requested' });
    };
    void read();
  }, [request, isOpen]);
  return whole;
};

/** Shows the change that would be made, as a diff where there is one. */
const Shown = ({ request: { kind, diff, target, arguments: given } }: { request: InputRequested }) => {
  if (kind === 'question' || kind === 'limit') return null;
  if (diff !== undefined) return <DiffView diff={diff} target={target ?? 'the file'} />;
  return given === undefined ? null : <Payload title="Arguments" text={readableArguments(given)} />;
};

const OpenRequest = ({ request }: { request: InputRequested }) => {
  const [isSending, setSending] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const send = async (reply: ReplyBody): Promise<void> => {
    setSending(true);
    setFailure(undefined);
    const answer = await replyToInput(request.inputId, reply);
    // An event says which reply counts: until it comes nothing more can be replied here.
    if (answer.ok) return;
    setFailure(answer.failure);
    setSending(false);
  };
  const onReply: SendReply = (reply) => void send(reply);
  return (
    <>
      <Shown request={request} />
      <fieldset disabled={isSending}>
        <legend className="hidden">Reply</legend>
        <Replies request={request} onReply={onReply} />
      </fieldset>
      {failure && <Problem failure={failure} />}
    </>
  );
};

const Replies = ({ request, onReply }: { request: InputRequested; onReply: SendReply }) => {
  switch (request.kind) {
    case 'approval':
    case 'commit':
      return <ApprovalReply request={request} onReply={onReply} />;
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
