import { type ReactNode, useState } from 'react';
import { Problem } from '../components/problem.tsx';
import type { GatewayResult } from '../http/gateway-request.ts';
import type { Failure } from '../http/request-failure.ts';

interface UndoButtonProps<T> {
  /** Text of the button that asks for confirmation. */
  readonly buttonText: string;
  readonly confirmation: string;
  readonly undo: () => Promise<GatewayResult<T>>;
  /** Renders the response of the gateway. */
  readonly renderResponse: (response: T) => ReactNode;
}

/** A button that asks before it undoes changes. The gateway does not touch files that somebody has changed since. */
export const UndoButton = <T,>({ buttonText, confirmation, undo, renderResponse }: UndoButtonProps<T>) => {
  const [step, setStep] = useState<'offered' | 'asked' | 'sent'>('offered');
  const [response, setResponse] = useState<T>();
  const [failure, setFailure] = useState<Failure>();
  const send = async (): Promise<void> => {
    setStep('sent');
    const outcome = await undo();
    setFailure(outcome.ok ? undefined : outcome.failure);
    if (outcome.ok) setResponse(outcome.value);
    else setStep('offered');
  };
  if (response !== undefined) return <div role="status">{renderResponse(response)}</div>;
  return (
    <>
      {step === 'offered' && (
        <button type="button" onClick={() => setStep('asked')}>
          {buttonText}
        </button>
      )}
      {step !== 'offered' && (
        <div className="replies undo" role="group" aria-label="Undo">
          <span>{confirmation}</span>
          <button type="button" className="stop" disabled={step === 'sent'} onClick={() => void send()}>
            Undo
          </button>
          <button type="button" disabled={step === 'sent'} autoFocus onClick={() => setStep('offered')}>
            Keep
          </button>
        </div>
      )}
      {failure && <Problem failure={failure} />}
    </>
  );
};
