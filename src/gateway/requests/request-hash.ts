import { createHash } from 'node:crypto';
import type { NewTurn } from '../turns/turn-ports.ts';

/**
 * What makes two requests the same: project, conversation, content, mode, resolved protocol and metadata
 * (docs/http-api.md). The order of object keys does not count.
 */
export const requestHash = (turn: Omit<NewTurn, 'turnId' | 'requestHash' | 'maxPhaseCycles'>): string => {
  const { projectId, conversationId, content, mode, protocol, metadata } = turn;
  const identity = [projectId, conversationId, content, mode, protocol, sortKeys(metadata)];
  return createHash('sha256').update(JSON.stringify(identity)).digest('hex');
};

const sortKeys = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sortKeys(inner)]));
};
