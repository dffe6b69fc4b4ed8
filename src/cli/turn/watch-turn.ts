import { errorMessage } from '../../contracts/values/error-message.ts';
import type { ToolOutput } from '../../contracts/wire/tool-output.ts';
import { isTerminal, type TerminalEvent } from '../../contracts/wire/turn-event.ts';
import type { CliContext } from '../command-context/cli-context.ts';
import { GatewayUnreachableError } from '../http/gateway-failures.ts';
import { followTurn, type TurnFrame } from './follow-turn.ts';
import { SurvivingText } from './surviving-text.ts';

/** Shows a turn to a person or a program, frame by frame. */
export interface FrameViewer {
  /**
   * Shows a frame, which `surviving` includes already. The next frame waits for the returned promise, so that lines are
   * printed in the order in which things happened.
   */
  onFrame(frame: TurnFrame, surviving: SurvivingText): void | Promise<void>;
  /** Shows output of a tool that runs. */
  onOutput?(output: ToolOutput): void;
  /**
   * Called when no more frames will come: the turn has ended, the user has left, or the turn cannot be read any longer.
   */
  onClose?(): void;
}

/** The end of watching a turn. `left` means that the user did not wait for its end, so it may still run. */
export type TurnEnd =
  /** `wasInterrupted` is true when an interrupt of this terminal has cancelled the turn, or tried to. */
  | { readonly kind: 'ended'; readonly terminal: TerminalEvent; readonly wasInterrupted: boolean }
  /**
   * `isCancelling` is true when the gateway took the cancel, false when it did not or has not answered yet, and
   * undefined when no cancel was requested.
   */
  | { readonly kind: 'left'; readonly isCancelling?: boolean };

/** The meaning of Ctrl-C for a turn: the terminal that asked owns the turn, others watch it. */
export type TurnOwnership = 'own' | 'watch';

/** A turn that somebody watches, and until when. */
interface WatchTarget {
  readonly turnId: string;
  readonly ownership: TurnOwnership;
  /** Aborted to end the watching; the turn stays as it is. */
  readonly leaving: AbortSignal;
}

/** Time in milliseconds to wait for the gateway to take a cancel when the user leaves. */
const LAST_WAIT_MS = 1_000;

/**
 * Shows a turn to its viewers until it ends. The first interrupt at a terminal that owns the turn cancels it, and the
 * second leaves. A terminal that only watches leaves at the first. Throws what `followTurn` throws.
 */
export const watchTurn = async (
  context: CliContext,
  { turnId, ownership, leaving }: WatchTarget,
  viewers: readonly FrameViewer[],
): Promise<TurnEnd> => {
  const stopping = new AbortController();
  leaving.addEventListener('abort', () => stopping.abort(), { once: true });
  let wasInterrupted = false;
  let cancelling: Promise<boolean> | undefined;
  const unsubscribe = context.cliProcess.interrupts.subscribe(() => {
    if (wasInterrupted || ownership === 'watch') return stopping.abort();
    wasInterrupted = true;
    cancelling = cancelWatchedTurn(context, turnId);
  });
  try {
    const terminal = await Promise.race([
      showToEnd(context, turnId, viewers, stopping.signal),
      waitForAbort(stopping.signal),
    ]);
    if (terminal !== 'aborted') return { kind: 'ended', terminal, wasInterrupted };
    if (cancelling === undefined) return { kind: 'left' };
    const tooLate = context.cliProcess.timers.sleep(LAST_WAIT_MS).then(() => false);
    return { kind: 'left', isCancelling: await Promise.race([cancelling, tooLate]) };
  } finally {
    unsubscribe();
    stopping.abort();
    for (const viewer of viewers) viewer.onClose?.();
  }
};

const showToEnd = async (
  { turns, cliProcess: { timers }, screen, isVerbose }: CliContext,
  turnId: string,
  viewers: readonly FrameViewer[],
  signal: AbortSignal,
): Promise<TerminalEvent> => {
  const onInterruption = (reason: string): void => {
    if (isVerbose) screen.reportDimmed(`${reason}; reconnecting …`);
  };
  const onOutage = (reason: string): void =>
    screen.showNotice(`The gateway is away; trying for up to a minute, while the turn goes on (${reason})`);
  const survivingText = new SurvivingText();
  for await (const part of followTurn({ turns, ...timers, onInterruption, onOutage, signal }, turnId)) {
    if (signal.aborted) break;
    if (!('id' in part)) {
      for (const viewer of viewers) viewer.onOutput?.(part);
      continue;
    }
    survivingText.accept(part);
    for (const viewer of viewers) await viewer.onFrame(part, survivingText);
    if (isTerminal(part.event)) return part.event;
  }
  throw new GatewayUnreachableError(
    'the gateway',
    new Error(`the stream of turn ${turnId} ended without its last event`),
  );
};

/**
 * Cancels the turn, whose events report the end. Returns false when the gateway did not take the cancel, which is
 * reported.
 */
const cancelWatchedTurn = async ({ turns, screen }: CliContext, turnId: string): Promise<boolean> => {
  screen.pinNotice('Cancelling … (Ctrl-C again to leave)');
  try {
    await turns.cancel(turnId);
    return true;
  } catch (error) {
    screen.report(`The turn could not be cancelled: ${errorMessage(error)}`);
    return false;
  }
};

const waitForAbort = (signal: AbortSignal): Promise<'aborted'> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve('aborted'), { once: true }));
