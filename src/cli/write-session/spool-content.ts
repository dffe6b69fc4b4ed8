import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { DoneDetector } from '../../write-session/done-detector.ts';
import type { CliProcess } from '../process/cli-process.ts';
import { IdleQuestion } from './idle-question.ts';

/** The place where content from stdin is kept, and what is called with it. */
export interface SpoolTarget {
  /** File that receives the content. */
  readonly path: string;
  readonly idleMs: number;
  readonly report: (line: string) => void;
  /** Called with each part as it comes, except the one that completes the DONE line. */
  readonly onPart: (part: Uint8Array) => void;
}

/**
 * Writes content from stdin into a file. From a pipe, the content is everything to the last byte. Typed on a terminal,
 * it ends with a lone DONE line or with Ctrl-D. Returns false when nothing came that could be written.
 */
export const spoolContent = async (cliProcess: CliProcess, spool: SpoolTarget): Promise<boolean> => {
  await mkdir(dirname(spool.path), { recursive: true, mode: 0o700 });
  if (cliProcess.stdin.isTTY) return spoolTyped(cliProcess, spool);
  let bytes = 0;
  const countBytes = async function* (source: AsyncIterable<Uint8Array>) {
    for await (const part of source) {
      bytes += part.length;
      spool.onPart(part);
      yield part;
    }
  };
  await pipeline(cliProcess.stdin, countBytes, createWriteStream(spool.path, { mode: 0o600 }));
  return bytes > 0;
};

const spoolTyped = async ({ stdin, timers }: CliProcess, spool: SpoolTarget): Promise<boolean> => {
  const { path, idleMs, report, onPart } = spool;
  report('Type the content. End with DONE on its own line.');
  const idle = new IdleQuestion({ after: timers.after, idleMs, report });
  const detector = new DoneDetector();
  let text = '';
  for await (const part of stdin as AsyncIterable<Uint8Array>) {
    const piece = Buffer.from(part).toString('utf8');
    text += piece;
    detector.push(piece);
    if (detector.isDone) break;
    onPart(part);
    idle.restart();
  }
  idle.stop();
  const mark = detector.finish();
  const content = mark.kind === 'done' ? text.slice(0, mark.contentLength) : text;
  await writeFile(path, content, { mode: 0o600 });
  return content !== '';
};
