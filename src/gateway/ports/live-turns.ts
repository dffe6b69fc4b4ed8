import type { ToolOutput } from '../../contracts/wire/tool-output.ts';
import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import type { EventId } from '../../contracts/wire/event-id.ts';

/**
 * One reader of a turn, such as an SSE response. Its methods must neither block nor throw. A viewer that is slow has to
 * buffer by itself, and a viewer that throws is dropped.
 */
export interface TurnViewer {
  /**
   * Sends an event. All viewers get the same `event` object, so an encoder may cache its encoding. `after` is present
   * only on the first event of an epoch. It is the id of the event that this event follows, or null if there is none.
   */
  event(id: EventId, event: TurnEvent, after?: string | null): void;
  /** Takes output of a command that is running. Output goes only to those who watch at that moment, and is not kept. */
  output?(output: ToolOutput): void;
  /** Ends the stream: the turn has ended, this gateway closes, or the viewer has thrown. */
  end(): void;
}

/** The events of all watched turns (docs/turns.md "Turn hub"). Production: `src/gateway/hub/turn-hub.ts`. */
export interface LiveTurns {
  /**
   * Gets ready for a turn that this gateway has just started. Its event list is taken to be empty, so its first viewer
   * costs no query.
   */
  expect(turnId: string): void;
  /**
   * Sends the viewer every event of the turn after the id `after`, or all events if `after` is null. Events that are
   * known are sent before `attach` returns, later ones as they happen, and finally `end` is called. `after` may be an
   * id that is not known here yet. The returned function ends the subscription without calling `end`.
   */
  attach(turnId: string, after: EventId | null, viewer: TurnViewer): () => void;
  /**
   * Tells the writers of a watched turn to stop, those that are connected here and those that connect later. The caller
   * also signals the workflow.
   */
  cancel(turnId: string): void;
  /**
   * Asks the connected writers to end the model call `step` and no other. It is called once the workflow has accepted
   * the interruption.
   */
  interrupt(turnId: string, step: number): void;
  /**
   * Notes that something was accepted that may end a turn's wait, such as a reply, so new events of the turn are
   * expected soon.
   */
  expectEvents(turnId: string): void;
}
