import { useState } from 'react';

const SHOWN_MS = 2_000;

const WORDS = { none: 'Copy', copied: 'Copied', refused: 'Not allowed' } as const;

/**
 * A button that copies a text to the clipboard, and says for a moment whether it could. `what` names the text for
 * screen readers.
 */
export const CopyButton = ({ text, what }: { text: string; what: string }) => {
  const [outcome, setOutcome] = useState<'copied' | 'refused'>();
  const show = (next: 'copied' | 'refused'): void => {
    setOutcome(next);
    setTimeout(() => setOutcome(undefined), SHOWN_MS);
  };
  // Browsers offer the clipboard only to pages that came from this machine or over TLS.
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
      {WORDS[outcome ?? 'none']}
    </button>
  );
};
