import { randomUUID } from 'node:crypto';
import { WRITE_SESSION_TEXTS } from '../../contracts/write-session/write-session-texts.ts';
import type { CliContext } from '../command-context/cli-context.ts';
import type { ExitCode } from '../process/exit-codes.ts';
import { detailOf, GatewayRefusedError } from '../http/gateway-failures.ts';
import { withRetries } from '../http/retry.ts';
import type { TurnRequest } from '../http/turn-client.ts';
import type { KeptSession } from '../write-session/kept-sessions.ts';
import { turnRequestOf, type Conversation } from './conversation.ts';
import type { CreateResponder } from './input-request-responder.ts';
import { reportTurn, type ReportedTurn } from './report-turn.ts';
import { showTurn, type OutputFormat, type TurnReport } from './show-turn.ts';
import type { FrameViewer } from './watch-turn.ts';

/** A message to the model, and the format in which its answer is shown. */
export interface OutgoingMessage {
  readonly content: string;
  readonly format: OutputFormat;
  /**
   * Called with the id of each turn that answers the message, once the turn is stored. The returned viewer watches
   * that turn.
   */
  readonly onTurn?: (turnId: string) => FrameViewer;
  /** Creates the responder for requests of the turn. Without one, people reply to them from another terminal. */
  readonly createResponder?: CreateResponder | undefined;
}

/** What became of a message on this terminal. */
export interface MessageOutcome {
  readonly code: ExitCode;
  /** True when the user left before the turn had ended. */
  readonly hasLeft: boolean;
}

/**
 * Maximum number of times that a model is asked to repair a text which the gateway has refused
 * (docs/write-sessions.md).
 */
const MAX_REPAIRS = 2;

interface RepairableMessage extends OutgoingMessage {
  readonly conversation: Conversation;
  readonly repairedSession?: KeptSession;
}

/**
 * Sends a message and shows the answer. If the gateway refuses the text of a write session, the model is asked to
 * repair it, at most `MAX_REPAIRS` times. Throws as `GatewayClient` does.
 */
export const sendMessage = async (
  context: CliContext,
  conversation: Conversation,
  message: OutgoingMessage,
): Promise<MessageOutcome> => {
  const { projectId } = context.config;
  const { conversationId } = conversation;
  const sendOnce = async (outgoing: RepairableMessage): Promise<{ turnId: string; report: TurnReport }> => {
    const turnId = randomUUID();
    const { content } = outgoing;
    await sendTurnRequest(
      context,
      turnRequestOf(outgoing.conversation, { projectId, content, requestId: turnId }),
    );
    const shownTurn = {
      turnId,
      projectId,
      format: outgoing.format,
      ownership: 'own',
      repairedSession: outgoing.repairedSession,
      createResponder: outgoing.createResponder,
      ...(outgoing.onTurn && { extraViewer: outgoing.onTurn(turnId) }),
    } as const;
    return { turnId, report: await showTurn(context, shownTurn) };
  };
  let { turnId, report } = await sendOnce({ ...message, conversation });
  // A repair continues the turn that has just ended.
  const continued = { ...conversation, parentTurnId: undefined };
  for (let repairs = 0; repairs < MAX_REPAIRS; repairs += 1) {
    const refused = refusedWriteOf(report);
    if (refused === undefined) break;
    const content = `${refused.line}\n${WRITE_SESSION_TEXTS.instruction}`;
    const repairMessage = { ...message, conversation: continued, content, repairedSession: refused.session };
    ({ turnId, report } = await sendOnce(repairMessage));
  }
  const ids = { turnId, projectId, conversationId, ownership: 'own' } as const;
  const code = await reportTurn(context, { ...message, ...ids, report });
  return { code, hasLeft: report.end.kind === 'left' };
};

const refusedWriteOf = ({ end, writes }: TurnReport) =>
  end.kind === 'ended' && !end.wasInterrupted ? writes.refusedOutcome : undefined;

/**
 * Shows a turn that was started elsewhere, for `orion attach`, and returns the exit code. Throws as `showTurn` does.
 */
export const attachToTurn = async (
  context: CliContext,
  turn: Omit<ReportedTurn, 'report'> & Pick<OutgoingMessage, 'createResponder'>,
): Promise<ExitCode> => {
  const report = await showTurn(context, turn);
  return reportTurn(context, { ...turn, report });
};

/**
 * Starts a turn. A request whose response was lost is repeated under its id, which attaches to the turn if it was
 * started (docs/http-api.md). Throws as `GatewayClient` does.
 */
const sendTurnRequest = async (
  { turns, retry, screen }: Pick<CliContext, 'turns' | 'retry' | 'screen'>,
  request: TurnRequest,
): Promise<void> => {
  try {
    await withRetries(retry, () => turns.start(request));
  } catch (error) {
    if (!isAccepted(error)) throw error;
    screen.report(`${error.message} The turn is stored and starts by itself.`);
  }
};

/**
 * Reports whether Temporal was away after the turn had been stored. The turn then starts later, and its stream can be
 * read now.
 */
const isAccepted = (error: unknown): error is GatewayRefusedError =>
  error instanceof GatewayRefusedError && error.status === 503 && detailOf(error, 'turnId') !== undefined;
