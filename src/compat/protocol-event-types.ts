import type { TurnEvent } from '../contracts/wire/turn-event.ts';

/**
 * For hosts that embed the protocol classes and name events by constants (docs/protocol.md "Embedding"), for as long as
 * that embedding is offered.
 */
export const ProtocolEventTypes = {
  CHUNK: 'chunk',
  TOOL_CALLS: 'tool_calls',
  DONE: 'done',
  PHASE: 'phase',
  ERROR: 'error',
  TOOL_RESULT: 'tool_result',
  WRITE_SESSION: 'write_session',
  RESET: 'reset',
} as const satisfies Record<string, TurnEvent['type']>;
