import type { TurnEvent } from '../../contracts/wire/turn-event.ts';

/** What a protocol yields; the last event is terminal (`done` or `error`). */
export type ProtocolEvent = TurnEvent;

export const ProtocolEventTypes = {
  CHUNK: 'chunk',
  TOOL_CALLS: 'tool_calls',
  DONE: 'done',
  PHASE: 'phase',
  ERROR: 'error',
  TOOL_RESULT: 'tool_result',
  WRITE_SESSION: 'write_session',
  RESET: 'reset',
} as const satisfies Record<string, ProtocolEvent['type']>;
