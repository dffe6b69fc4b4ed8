import { useState } from 'react';

const SHOWN_MS = 2_000;

/** Puts a text on the clipboard, and confirms that for a moment. */
export const CopyButton = ({ text, what }: { text: string; what: string }) => {
  const [outcome, setOutcome] = useState<'copied' | 'refused'>();
  const show = (next: 'copied' | 'refused'): void => {
    setOutcome(next);
    setTimeout(() => setOutcome(undefined), SHOWN_MS);
  };
  // A page that came neither from this machine nor over TLS has no clipboard.
  const copy = (): void => {
    const written = window.isSecureContext
      ? navigator.clipboard.writeText(text)
      : Promise.reject(new Error());
    written.then(
      () => show('copied'),
      () => show('refused'),
    );
  };
  return (
    <button type="button" className="quiet" onClick={copy} aria-label={`Copy ${what}`}>
      {outcome === undefined ? 'Copy' : outcome === 'copied' ? 'Copied' : 'Not allowed'}
    </button>
  );
};
