import type { ToolOutput } from '../../contracts/wire/tool-output.ts';
import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import type { EventId } from '../../contracts/wire/event-id.ts';

/**
 * One reader of a turn, such as an SSE response. Must neither block nor throw: a slow one buffers for itself,
 * and one that throws is dropped.
 */
export interface TurnViewer {
  /**
   * Sends an event. All viewers get the same `event` object, so an encoder may cache its encoding. `after` is set for
   * the first event of an epoch, to the id of the event that it follows.
   */
  event(id: EventId, event: TurnEvent, after?: string | null): void;
  /** Takes output of a command while it runs: it is only for viewers of this moment, and not kept. */
  output?(output: ToolOutput): void;
  /** Ends the stream: the turn has ended, or this gateway closes. */
  end(): void;
}

/** The events of all watched turns (docs/turns.md "Turn hub"). Production: `src/gateway/hub/turn-hub.ts`. */
export interface TurnWatch {
  /**
   * Announces a turn that is just being started: its list is known to be empty, so that its first viewer costs no
   * query.
   */
  expect(turnId: string): void;
  /**
   * Sends every event of the turn after `after`, or all if it is null. Events that are known are sent before it
   * returns, then others as they happen, then the end. An id that is not known (yet) is allowed. The returned function
   * ends the subscription without `end`.
   */
  attach(turnId: string, after: EventId | null, viewer: TurnViewer): () => void;
  /**
   * Tells the writers that are connected, and those that connect later, to stop. The caller also signals the workflow.
   */
  cancel(turnId: string): void;
  /** Asks the running attempt to end only the model call `step`, after the workflow has accepted that. */
  interrupt(turnId: string, step: number): void;
  /** Notes that the workflow has taken a reply or a message, so that a turn which waited continues. */
  expectEvents(turnId: string): void;
}
