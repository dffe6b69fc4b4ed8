import { z } from 'zod';
import type { ToolCall } from '../../contracts/tools/tool-call.ts';
import { parseJson } from '../../contracts/values/parse-json.ts';
import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import { writeOperationSchema } from '../../contracts/write-session/write-session.ts';
import type { KeptSession } from '../write-session/kept-sessions.ts';
import type { WriteSessionController } from '../write-session/write-session-controller.ts';
import type { FrameViewer } from './watch-turn.ts';

export interface WriteSessionViewDeps {
  readonly controller: WriteSessionController;
  readonly origin: Pick<KeptSession, 'turnId' | 'url' | 'projectId'>;
  /**
   * The session whose text this turn was asked to repair. What the model writes is then that text, except words before
   * a tool call. Undefined for any other turn.
   */
  readonly repairedSession: KeptSession | undefined;
  /** Called when the model could not begin a session. */
  readonly onRefusedBegin: (callId: string) => void;
}

/** Creates a viewer that hands a turn's events to the write-session controller. */
export const createWriteSessionView = (deps: WriteSessionViewDeps): FrameViewer => {
  const { controller, origin, repairedSession, onRefusedBegin } = deps;
  if (repairedSession) controller.beginCollecting(repairedSession, '');
  let operation: KeptSession['operation'] = null;
  const begin = (
    { sessionId, target }: Extract<TurnEvent, { type: 'write_session' }>,
    textBefore: string,
  ): void =>
    controller.beginCollecting({ ...origin, sessionId, target, operation, complete: false }, textBefore);

  return {
    onFrame({ event }, surviving) {
      switch (event.type) {
        case 'phase':
          // Words before a tool call are no part of the repaired text.
          if (event.phase === 'tool' && repairedSession && controller.isCollecting) {
            controller.beginCollecting(repairedSession, surviving.text);
          }
          if (event.phase === 'action') controller.beginPhase(surviving.text);
          return;
        case 'chunk':
          if (event.notice === undefined) controller.push(event.content);
          return;
        case 'reset':
          return controller.withdraw(surviving.text);
        case 'write_session':
          if (event.stage === 'begun') begin(event, surviving.text);
          return controller.handleEvent(event);
        case 'tool_calls':
          operation = event.calls.map(operationOf).findLast((candidate) => candidate !== null) ?? null;
          return;
        case 'tool_result':
          if (!event.ok && /^WritePlanTool[._]begin$/.test(event.name)) onRefusedBegin(event.callId);
          return;
        default:
          return;
      }
    },
  };
};

const argumentsSchema = z.object({ operation: writeOperationSchema });

/**
 * Returns the operation that a tool call asks for, which the session's events do not say. Returns null for another
 * call, or while the arguments are still arriving.
 */
const operationOf = ({ function: { arguments: text } }: ToolCall): KeptSession['operation'] =>
  argumentsSchema.safeParse(parseJson(text)).data?.operation ?? null;
