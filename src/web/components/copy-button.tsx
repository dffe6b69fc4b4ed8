import { useEffect, useState } from 'react';

const SHOWN_MS = 2_000;

const WORDS = { none: 'Copy', copied: 'Copied', refused: 'Not allowed' } as const;

/**
 * A button that copies a text to the clipboard, and says for a moment whether it could. `what` names the text for
 * screen readers.
 */
export const CopyButton = ({ text, what }: { text: string; what: string }) => {
  // Each click makes a new object, so that its time begins anew even if its outcome is that of the click before.
  const [copyResult, setCopyResult] = useState<{ readonly outcome: 'copied' | 'refused' }>();
  useEffect(() => {
    if (copyResult === undefined) return undefined;
    const timer = setTimeout(() => setCopyResult(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [copyResult]);
  // Browsers offer the clipboard only to pages that came from this machine or over TLS.
  const copy = (): void => {
    const written = window.isSecureContext
      ? navigator.clipboard.writeText(text)
      : Promise.reject(new Error());
    written.then(
      () => setCopyResult({ outcome: 'copied' }),
      () => setCopyResult({ outcome: 'refused' }),
    );
  };
  return (
    <button type="button" className="quiet" onClick={copy} aria-label={`Copy ${what}`}>
      {WORDS[copyResult?.outcome ?? 'none']}
    </button>
  );
};
