import type { CliContext } from '../parts/cli-context.ts';
import { LiveAnswer, type AnswerWriter } from '../render/live-answer.ts';
import { SettledAnswer } from '../render/settled-answer.ts';
import { StreamedAnswer } from '../render/streamed-answer.ts';
import type { KeptSession } from '../write-session/kept-sessions.ts';
import { reasonOfRefusedBegin, type RefusedBegin } from '../write-session/refused-begin.ts';
import { WriteSessionController } from '../write-session/write-session-controller.ts';
import { Narrator } from './narrator.ts';
import type { CreateAnswerer, RequestAnswerer } from './request-answerer.ts';
import { createToolResults } from './tool-results.ts';
import { type FrameViewer, watchTurn, type TurnOwnership, type TurnEnd } from './watch-turn.ts';
import { createWriteSessionView } from './write-session-view.ts';

/** `text`: the answer. `json`: one object at the end. `stream-json`: one line per event. */
export const OUTPUT_FORMATS = ['text', 'json', 'stream-json'] as const;
/** Form of an answer on stdout, as `--output-format` names it. */
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** A turn that is to be shown, and how. */
export interface ShownTurn {
  readonly turnId: string;
  readonly projectId: string;
  readonly format: OutputFormat;
  readonly ownership: TurnOwnership;
  /** Set when the turn was asked to mend the text of this session. */
  readonly mending?: KeptSession | undefined;
  /** A viewer that gets the turn's frames, too. */
  readonly companion?: FrameViewer;
  /** Makes what answers requests of the turn here; absent: another terminal has to answer. */
  readonly createAnswerer?: CreateAnswerer | undefined;
}

/** The result of a turn that was shown. */
export interface TurnReport {
  readonly end: TurnEnd;
  readonly writes: Pick<WriteSessionController, 'outcomes' | 'refused'>;
  /** The reason why the model could not begin a write session that it wanted; undefined when it could. */
  readonly refusedBegin: RefusedBegin | undefined;
  /** True when the last request of the turn was denied, or nobody replied in time. */
  readonly isDenied: boolean;
}

/** Shows a turn in the wanted format until it ends, and finalizes its write sessions. Throws as `watchTurn` does. */
export const showTurn = async (context: CliContext, turn: ShownTurn): Promise<TurnReport> => {
  const { config, kept, retry, screen, writeSessions, process } = context;
  const writes = new WriteSessionController({
    calls: writeSessions,
    kept,
    retry,
    after: process.timers.after,
    idleMs: config.idleMs,
    say: (line) => screen.say(line),
  });
  let refused: Promise<RefusedBegin | undefined> = Promise.resolve(undefined);
  const sessions = createWriteSessionView({
    controller: writes,
    origin: { turnId: turn.turnId, url: config.url, projectId: turn.projectId },
    mending: turn.mending,
    onRefusedBegin: (callId) => {
      refused = reasonOfRefusedBegin(context, turn, callId);
    },
  });
  let isDenied = false;
  const replies: FrameViewer = {
    frame({ event }) {
      if (event.type === 'input_resolved') isDenied = event.reply === 'deny';
    },
  };
  const companions = turn.companion ? [turn.companion] : [];
  const leaving = new AbortController();
  const answerer = turn.createAnswerer?.(() => leaving.abort());
  const viewers = [sessions, replies, ...companions, ...viewersOf(context, { ...turn, answerer }, writes)];
  const end = await watchTurn(context, { ...turn, leaving: leaving.signal }, viewers);
  if (end.kind === 'ended') await writes.turnEnded();
  return { end, writes, refusedBegin: end.kind === 'ended' ? await refused : undefined, isDenied };
};

const viewersOf = (
  context: CliContext,
  turn: ShownTurn & { readonly answerer: RequestAnswerer | undefined },
  writes: WriteSessionController,
): readonly FrameViewer[] => {
  const { screen, isVerbose, streamsToPipe, process } = context;
  const telling = isVerbose ? 'details' : process.stderr.isTTY === true ? 'tools' : 'notices';
  const resultOf = createToolResults(context, turn);
  const narrator = new Narrator({ screen, telling, resultOf, answerer: turn.answerer });
  if (turn.format === 'json') return [narrator];
  if (turn.format === 'stream-json') return [createJsonLinesView((line) => screen.answer(line)), narrator];
  const piped = (): AnswerWriter => (streamsToPipe ? new StreamedAnswer(screen) : new SettledAnswer(screen));
  const writer = process.stdout.isTTY === true ? new LiveAnswer(screen) : piped();
  return [createAnswerView(writer, () => writes.isCollecting), narrator];
};

/** Shows what the model says. `isFile`: tells if it is writing the content of a file just now. */
const createAnswerView = (writer: AnswerWriter, isFile: () => boolean): FrameViewer => ({
  frame({ event }, said) {
    switch (event.type) {
      case 'chunk':
        if (event.notice !== undefined) return;
        writer.setVerbatim(isFile());
        return writer.text(event.content);
      case 'reset':
        return writer.withdraw(said.text.length);
      case 'phase':
        return writer.settle();
      default:
        return;
    }
  },
  // The text so far is useful, however the turn ended.
  close: () => writer.end(),
});

/** Writes one line of JSON per event, as it came, with its id if it has one (`--output-format stream-json`). */
const createJsonLinesView = (write: (text: string) => void): FrameViewer => ({
  frame({ id, event }) {
    write(`${JSON.stringify({ id, ...event })}\n`);
  },
  output: (output) => write(`${JSON.stringify(output)}\n`),
});
