import type { TurnEvent } from '../contracts/wire/turn-event.ts';

/**
 * The types of events as constants, except those about input requests and steers. They are for hosts that embed the
 * protocol classes (docs/protocol.md "Embedding").
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
