import { createHash } from 'node:crypto';
import type { NewTurn } from '../ports/new-turn.ts';
import { canonicalJson } from '../../contracts/values/canonical-json.ts';

/**
 * Returns a hash that is the same for two requests that are the same. It covers project, conversation, content, mode,
 * resolved protocol, metadata, tools and parent (docs/http-api.md "Ids"). The order of object keys does not count.
 */
export const requestHashOf = (turn: Omit<NewTurn, 'turnId' | 'requestHash' | 'maxPhaseCycles'>): string => {
  const { projectId, conversationId, content, mode, protocol, metadata, clientTools, parentTurnId } = turn;
  const requiredParts = [projectId, conversationId, content, mode, protocol, metadata];
  // Left out when absent, so that a request without tools and parent has the same hash as before these existed.
  const optionalParts = [
    ...(clientTools ? [clientTools] : []),
    ...(parentTurnId === undefined ? [] : [{ parentTurnId }]),
  ];
  const identity = canonicalJson([...requiredParts, ...optionalParts]);
  return createHash('sha256').update(identity).digest('hex');
};
