import { createHash } from 'node:crypto';
import { canonicalJson } from '../../protocol/calls/canonical-json.ts';
import type { NewTurn } from '../ports/turns.ts';

/**
 * What makes two requests the same: project, conversation, content, mode, resolved protocol and metadata
 * (docs/http-api.md). The order of object keys does not count.
 */
export const requestHash = (turn: Omit<NewTurn, 'turnId' | 'requestHash' | 'maxPhaseCycles'>): string => {
  const { projectId, conversationId, content, mode, protocol, metadata } = turn;
  const identity = canonicalJson([projectId, conversationId, content, mode, protocol, metadata]);
  return createHash('sha256').update(identity).digest('hex');
};
