import type { Place } from './address.ts';
import { createPageId } from './page-id.ts';

/** A conversation that nobody has spoken in. */
export const newPlace = (projectId: string): Place => ({ projectId, conversationId: createPageId('chat') });
