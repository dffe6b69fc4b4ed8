import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { WriteSessionTarget } from '../../contracts/http/write-session-api.ts';
import { lineWords } from '../wording/number-words.ts';
import { Problem } from '../components/problem.tsx';
import { readWriteSessionTarget } from '../http/file-requests.ts';
import { useRequest } from '../http/use-request.ts';
import { unifiedDiffLines, growingTexts } from './compared-texts.ts';
import { DiffLines } from './file-changes.tsx';

interface GrowingChangesProps {
  readonly sessionId: string;
  /** The text of the file so far. */
  readonly text: string;
}

/**
 * Shows how a growing file differs from the file that it replaces. The existing file is read once a person opens the
 * comparison.
 */
export const GrowingChanges = (props: GrowingChangesProps) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Compared with what is there</summary>
      {isOpen && <ExistingFile {...props} />}
    </details>
  );
};

const ExistingFile = ({ sessionId, text }: GrowingChangesProps) => {
  const result = useRequest(useCallback(() => readWriteSessionTarget(sessionId), [sessionId]));
  if (!result) return <p className="fact">Reading …</p>;
  if (!result.ok) return <Problem failure={result.failure} />;
  const { reason } = result.value;
  if (reason !== undefined) return <p className="fact">{reason}</p>;
  if (result.value.text === null) return <p className="fact">There is no such file yet: all of it is new.</p>;
  return <GrowingDiff target={result.value} text={text} />;
};

/** Milliseconds between two comparisons. The text itself grows with every word. */
const COMPARE_EVERY_MS = 1_000;
/** Milliseconds that each step of a comparison may take. It is short because comparisons are repeated. */
const COMPARE_MS = 50;

const GrowingDiff = ({ target, text }: { target: WriteSessionTarget; text: string }) => {
  const sampled = useSampled(text);
  const { unreachedLines = 0, lines } = useMemo(() => linesSoFar(target, sampled), [target, sampled]);
  return (
    <>
      <DiffLines path={target.target_file} lines={lines} />
      {unreachedLines > 0 && (
        <p className="fact">
          It has not come to the last {unreachedLines === 1 ? 'line' : lineWords(unreachedLines)} of what is
          there yet.
        </p>
      )}
    </>
  );
};

const linesSoFar = (target: WriteSessionTarget, text: string) => {
  const growing = growingTexts(target, text, COMPARE_MS);
  return {
    unreachedLines: growing?.unreachedLines,
    lines: growing && unifiedDiffLines(target.target_file, growing.texts, COMPARE_MS),
  };
};

/** Returns a value that changes often, as it was at the last tick of a timer of `COMPARE_EVERY_MS`. */
const useSampled = (value: string): string => {
  const latest = useRef(value);
  const [sampled, setSampled] = useState(value);
  useEffect(() => {
    latest.current = value;
  }, [value]);
  useEffect(() => {
    const timer = setInterval(() => setSampled(latest.current), COMPARE_EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  return sampled;
};
