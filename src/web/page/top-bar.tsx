import { useEffect } from 'react';

interface TopBarProps {
  readonly title: string;
  /** Facts that are shown beside the title. */
  readonly facts: readonly string[];
  /** Number of listed requests that wait for a person, in any conversation. */
  readonly waitingCount: number;
}

/**
 * Shows the title and the facts, and sets the title of the window. On narrow screens it has a button that opens the
 * sidebar.
 */
export const TopBar = ({ title, facts, waitingCount }: TopBarProps) => {
  useEffect(() => {
    document.title = `${waitingCount > 0 ? `(${waitingCount}) ` : ''}${title} · Orion`;
  }, [title, waitingCount]);
  return (
    <header className="top">
      <button type="button" className="quiet menu" popoverTarget="conversations">
        <span aria-hidden="true">☰</span>
        <span className="hidden">Conversations</span>
        {waitingCount > 0 && <span className="count">{waitingCount}</span>}
      </button>
      <h1 dir="auto" title={title}>
        {title}
      </h1>
      <div className="facts">
        {facts.map((fact) => (
          <span key={fact} className="fact">
            {fact}
          </span>
        ))}
      </div>
    </header>
  );
};
