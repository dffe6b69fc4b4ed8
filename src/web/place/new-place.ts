import type { Place } from './address.ts';
import { drawId } from './draw-id.ts';

/** A conversation that nobody has spoken in. */
export const newPlace = (projectId: string): Place => ({ projectId, conversationId: drawId('chat') });
