import type { CliContext } from '../command-context/cli-context.ts';
import { LiveAnswer } from '../render/live-answer.ts';
import type { AnswerWriter } from '../render/answer-writer.ts';
import { SettledAnswer } from '../render/settled-answer.ts';
import { StreamedAnswer } from '../render/streamed-answer.ts';
import type { KeptSession } from '../write-session/kept-sessions.ts';
import { readRefusedBegin, type RefusedBegin } from '../write-session/refused-begin.ts';
import { WriteSessionController } from '../write-session/write-session-controller.ts';
import { Narrator } from './narrator.ts';
import type { CreateResponder, InputRequestResponder } from './input-request-responder.ts';
import { createToolResultReader } from './tool-results.ts';
import { type FrameViewer, watchTurn, type TurnOwnership, type TurnEnd } from './watch-turn.ts';
import { createWriteSessionView } from './write-session-view.ts';
import { jsonLine } from '../render/output.ts';

/** Names of the formats: `text` is the answer, `json` one object at the end, and `stream-json` one line per event. */
export const OUTPUT_FORMATS = ['text', 'json', 'stream-json'] as const;
/** Format of an answer on stdout, as `--output-format` names it. */
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** A turn that is to be shown, and how. */
export interface TurnToShow {
  readonly turnId: string;
  readonly projectId: string;
  readonly format: OutputFormat;
  readonly ownership: TurnOwnership;
  /** The session whose text the turn was asked to repair. Absent for any other turn. */
  readonly repairedSession?: KeptSession | undefined;
  /** A viewer that gets the turn's frames in addition to those that `showTurn` creates. */
  readonly extraViewer?: FrameViewer;
  /** Creates the responder for requests of the turn, as in `OutgoingMessage`. */
  readonly createResponder?: CreateResponder | undefined;
}

/** The result of a turn that was shown. */
export interface TurnReport {
  readonly end: TurnEnd;
  readonly writes: Pick<WriteSessionController, 'outcomes' | 'refusedOutcome'>;
  /**
   * The reason why the model could not begin a write session. Undefined if it could, if the reason is not known, or if
   * the user has left.
   */
  readonly refusedBegin: RefusedBegin | undefined;
  /** True when the last request of the turn was denied, or not replied to in time. */
  readonly isDenied: boolean;
}

/**
 * Shows a turn in the wanted format until it ends or the user leaves, and finalizes its write sessions. Throws as
 * `watchTurn` does.
 */
export const showTurn = async (context: CliContext, turn: TurnToShow): Promise<TurnReport> => {
  const { config, keptSessions, retry, screen, writeSessions, cliProcess } = context;
  const writes = new WriteSessionController({
    client: writeSessions,
    keptSessions,
    retry,
    after: cliProcess.timers.after,
    idleMs: config.idleMs,
    report: (line) => screen.report(line),
  });
  let refusedBegin: Promise<RefusedBegin | undefined> = Promise.resolve(undefined);
  const sessions = createWriteSessionView({
    controller: writes,
    origin: { turnId: turn.turnId, url: config.url, projectId: turn.projectId },
    repairedSession: turn.repairedSession,
    onRefusedBegin: (callId) => {
      refusedBegin = readRefusedBegin(context, turn, callId);
    },
  });
  let isDenied = false;
  const replies: FrameViewer = {
    onFrame({ event }) {
      if (event.type === 'input_resolved') isDenied = event.reply === 'deny';
    },
  };
  const extraViewers = turn.extraViewer ? [turn.extraViewer] : [];
  const leaving = new AbortController();
  const responder = turn.createResponder?.(() => leaving.abort());
  const viewers = [sessions, replies, ...extraViewers, ...viewersOf(context, { ...turn, responder }, writes)];
  const end = await watchTurn(context, { ...turn, leaving: leaving.signal }, viewers);
  if (end.kind === 'ended') await writes.finishTurn();
  return { end, writes, refusedBegin: end.kind === 'ended' ? await refusedBegin : undefined, isDenied };
};

const viewersOf = (
  context: CliContext,
  turn: TurnToShow & { readonly responder: InputRequestResponder | undefined },
  writes: WriteSessionController,
): readonly FrameViewer[] => {
  const { screen, isVerbose, streamsToPipe, cliProcess } = context;
  const usualVerbosity = cliProcess.stderr.isTTY === true ? 'tools' : 'notices';
  const verbosity = isVerbose ? 'details' : usualVerbosity;
  const readResult = createToolResultReader(context, turn);
  const narrator = new Narrator({ screen, verbosity, readResult, responder: turn.responder });
  if (turn.format === 'json') return [narrator];
  if (turn.format === 'stream-json') return [createJsonLinesView((line) => screen.write(line)), narrator];
  const createPipedWriter = (): AnswerWriter =>
    streamsToPipe ? new StreamedAnswer(screen) : new SettledAnswer(screen);
  const writer = cliProcess.stdout.isTTY === true ? new LiveAnswer(screen) : createPipedWriter();
  return [createAnswerView(writer, () => writes.isCollecting), narrator];
};

/** Shows the model's text. `isFile` returns true while the model writes the content of a file. */
const createAnswerView = (writer: AnswerWriter, isFile: () => boolean): FrameViewer => ({
  onFrame({ event }, surviving) {
    switch (event.type) {
      case 'chunk':
        if (event.notice !== undefined) return;
        writer.setVerbatim(isFile());
        return writer.write(event.content);
      case 'reset':
        return writer.withdraw(surviving.text.length);
      case 'phase':
        return writer.settle();
      default:
        return;
    }
  },
  // The text so far is useful, however the turn ended.
  onClose: () => writer.end(),
});

/** Writes one line of JSON per event, as it came, with its id if it has one (`--output-format stream-json`). */
const createJsonLinesView = (write: (text: string) => void): FrameViewer => ({
  onFrame({ id, event }) {
    write(jsonLine({ id, ...event }));
  },
  onOutput: (output) => write(jsonLine(output)),
});
