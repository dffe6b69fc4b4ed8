import { memo, useCallback, useContext } from 'react';
import type { WriteSessionStatus } from '../../contracts/http/write-session-api.ts';
import { byteWords, lineWords } from '../wording/number-words.ts';
import { fileStageWords } from './file-stage-words.ts';
import { Payload } from '../components/payload.tsx';
import type { FileEntry } from '../turn/answer-entry.ts';
import { requestSessionUndo, readWriteSessionStatus } from '../http/file-requests.ts';
import { useRequest } from '../http/use-request.ts';
import { CurrentTurn } from '../turn/current-turn.ts';
import { ChangedFile } from './file-changes.tsx';
import { lastLines, textBytes, splitWrittenText } from './file-text.ts';
import { GrowingChanges } from './growing-changes.tsx';
import { UndoButton } from './undo-button.tsx';

/** Number of lines at the end of a file that are shown while it grows. */
const TAIL_LINES = 12;

/**
 * Shows a file of a write session: its path, its progress and its text. While the file grows, its end is shown, and the
 * file can be compared with the existing one. Once committed, it can be compared with the file before the turn. After
 * the turn its change can be undone.
 */
export const FileCard = memo(({ entry, isOver }: { entry: FileEntry; isOver: boolean }) => {
  const { file } = entry;
  const { text } = splitWrittenText(entry.text);
  const { tail, lines } = lastLines(text, TAIL_LINES);
  const isGrowing = file.stage === 'begun' && !isOver;
  return (
    <section className={`card file ${file.stage}`} aria-label={`File ${file.target}`} tabIndex={-1}>
      <p className="line">
        <span className="mark" aria-hidden="true">
          ▤
        </span>
        <span className="what">
          <strong>{file.target}</strong>
        </span>
        <span className="fact">
          {fileStageWords(file)}
          {file.bytes > 0 && `, ${lineWords(file.lines)}, ${byteWords(file.bytes)}`}
          {isGrowing && lines > 0 && `, ${lineWords(lines)}, ${byteWords(textBytes(text))} so far`}
          {isGrowing && <ReplacedSize sessionId={file.sessionId} />}
        </span>
      </p>
      {file.error !== undefined && <p className="problem">{file.error}</p>}
      {isGrowing && text !== '' && (
        <pre className="growing" dir="ltr" aria-hidden="true">
          {tail}
        </pre>
      )}
      {isGrowing && <GrowingChanges sessionId={file.sessionId} text={text} />}
      {!isGrowing && text !== '' && (
        <details>
          <summary>Its text</summary>
          <Payload title={file.target} text={text} />
        </details>
      )}
      {file.stage === 'committed' && <CommittedDiff file={file} />}
      {isOver && file.stage === 'committed' && <UndoFile file={file} />}
    </section>
  );
});

/**
 * Shows the size of what a growing file replaces. Shows nothing if the session has ended meanwhile, because the gateway
 * gives the size only while it is open.
 */
const ReplacedSize = ({ sessionId }: { sessionId: string }) => {
  const result = useRequest(useCallback(() => readWriteSessionStatus(sessionId), [sessionId]));
  return result?.ok ? beforeWords(result.value) : null;
};

const beforeWords = ({ operation, target_bytes: bytes }: WriteSessionStatus): string => {
  if (bytes === undefined) return '';
  if (bytes === null) return ', a new file';
  return operation === 'append'
    ? `, after the ${byteWords(bytes)} there`
    : `, in place of ${byteWords(bytes)}`;
};

const CommittedDiff = ({ file: { target } }: Pick<FileEntry, 'file'>) => {
  const { turnId } = useContext(CurrentTurn);
  return <ChangedFile turnId={turnId} path={target} name="Compared with what was there" />;
};

/** A button that undoes the change of this file, and no other change of its turn. */
const UndoFile = ({ file: { sessionId, target } }: Pick<FileEntry, 'file'>) => (
  <UndoButton
    buttonText="Undo this file …"
    confirmation={`Restore the earlier content of ${target}?`}
    undo={() => requestSessionUndo(sessionId)}
    renderResponse={({ message }) => <p className="fact">{message}</p>}
  />
);
