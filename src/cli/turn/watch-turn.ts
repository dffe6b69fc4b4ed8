import { errorMessage } from '../../contracts/values/error-message.ts';
import type { ToolOutput } from '../../contracts/wire/tool-output.ts';
import { isTerminal, type TerminalEvent } from '../../contracts/wire/turn-event.ts';
import type { CliContext } from '../parts/cli-context.ts';
import { GatewayUnreachable } from '../http/gateway-failures.ts';
import { followTurn, type TurnFrame } from './follow-turn.ts';
import { SurvivingText } from './surviving-text.ts';

/** A viewer of a turn. `said` has taken the frame already. */
export interface FrameViewer {
  /**
   * Takes a frame. The next frame waits for the returned promise, so that lines stand in the order in which things
   * happened.
   */
  frame(frame: TurnFrame, said: SurvivingText): void | Promise<void>;
  /** Takes what a tool says while it runs. */
  output?(output: ToolOutput): void;
  /** Ends the showing, because the turn has ended, the user has left or the gateway went away. */
  close?(): void;
}

/** `left`: the user did not wait for the end; the turn may still run. */
export type TurnEnd =
  | { readonly kind: 'ended'; readonly terminal: TerminalEvent; readonly wasInterrupted: boolean }
  /** `isCancelling` says that the gateway took the cancel; undefined when none was requested. */
  | { readonly kind: 'left'; readonly isCancelling?: boolean };

/** The meaning of Ctrl-C for a turn: the terminal that asked owns the turn, others watch it. */
export type TurnOwnership = 'own' | 'watch';

/** A turn that somebody watches, and until when. */
interface Watched {
  readonly turnId: string;
  readonly ownership: TurnOwnership;
  /** Aborted to end the watching; the turn stays as it is. */
  readonly leaving: AbortSignal;
}

/** Milliseconds to wait, when leaving, until the gateway has got a cancel. */
const LAST_WAIT_MS = 1_000;

/**
 * Shows a turn to its viewers until it ends. The first interrupt of its owner cancels the turn, the second leaves; one
 * that only watches leaves at once. Throws what `followTurn` throws.
 */
export const watchTurn = async (
  context: CliContext,
  { turnId, ownership, leaving }: Watched,
  viewers: readonly FrameViewer[],
): Promise<TurnEnd> => {
  const left = new AbortController();
  leaving.addEventListener('abort', () => left.abort(), { once: true });
  let wasInterrupted = false;
  let cancelling: Promise<boolean> | undefined;
  const unsubscribe = context.process.interrupts.subscribe(() => {
    if (wasInterrupted || ownership === 'watch') return left.abort();
    wasInterrupted = true;
    cancelling = cancelTurn(context, turnId);
  });
  try {
    const terminal = await Promise.race([
      showTurn(context, turnId, viewers, left.signal),
      abortOf(left.signal),
    ]);
    if (terminal !== 'aborted') return { kind: 'ended', terminal, wasInterrupted };
    if (cancelling === undefined) return { kind: 'left' };
    const tooLate = context.process.timers.sleep(LAST_WAIT_MS).then(() => false);
    return { kind: 'left', isCancelling: await Promise.race([cancelling, tooLate]) };
  } finally {
    unsubscribe();
    left.abort();
    for (const viewer of viewers) viewer.close?.();
  }
};

const showTurn = async (
  { turns, process: { timers }, screen, isVerbose }: CliContext,
  turnId: string,
  viewers: readonly FrameViewer[],
  signal: AbortSignal,
): Promise<TerminalEvent> => {
  const onInterruption = (reason: string): void => {
    if (isVerbose) screen.mention(`${reason}; reconnecting …`);
  };
  const onAway = (reason: string): void =>
    screen.notice(`The gateway is away; trying for up to a minute, while the turn goes on (${reason})`);
  const said = new SurvivingText();
  for await (const part of followTurn({ calls: turns, ...timers, onInterruption, onAway, signal }, turnId)) {
    if (signal.aborted) break;
    if (!('id' in part)) {
      for (const viewer of viewers) viewer.output?.(part);
      continue;
    }
    said.take(part);
    for (const viewer of viewers) await viewer.frame(part, said);
    if (isTerminal(part.event)) return part.event;
  }
  throw new GatewayUnreachable(
    'the gateway',
    new Error(`the stream of turn ${turnId} ended without its last event`),
  );
};

/**
 * Cancels the turn, whose events report the end. Returns false when the gateway did not take the cancel, which is
 * reported.
 */
const cancelTurn = async ({ turns, screen }: CliContext, turnId: string): Promise<boolean> => {
  screen.pin('Cancelling … (Ctrl-C again to leave)');
  try {
    await turns.cancel(turnId);
    return true;
  } catch (error) {
    screen.say(`The turn could not be cancelled: ${errorMessage(error)}`);
    return false;
  }
};

const abortOf = (signal: AbortSignal): Promise<'aborted'> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve('aborted'), { once: true }));
