import { formatEventId } from '../../../protocol/event-log/event-id.ts';
import { formatFrame } from '../sse-frame.ts';
import type { CreateTurnEncoder } from './turn-encoder.ts';

/** Events as they are: `event: <type>` and the event as JSON (docs/http-api.md). Keeps no state. */
export const createNativeEncoder: CreateTurnEncoder = () => ({
  encode: (id, event) =>
    formatFrame({
      id: formatEventId(id),
      event: event.type === 'error' ? 'turn_error' : event.type,
      data: JSON.stringify(event),
    }),
});
