import { useCallback } from 'react';
import type { Outcome } from '../server/gateway-request.ts';
import { turnStatus, turnTrace } from '../server/requests.ts';
import { useAnswer } from '../server/use-answer.ts';
import type { ReadTurn } from './turn-measures.ts';
import { type RepliedInput, spansOf } from './turn-spans.ts';

const readTurn = async (turnId: string, replies: readonly RepliedInput[]): Promise<Outcome<ReadTurn>> => {
  const status = await turnStatus(turnId);
  if (!status.ok) return status;
  const trace = await turnTrace(status.value.projectId, turnId);
  if (!trace.ok) return trace;
  return { ok: true, value: { status: status.value, spans: spansOf(trace.value, replies) } };
};

/** Status and steps of a turn; undefined until they are read. */
export const useReadTurn = (
  turnId: string,
  replies: readonly RepliedInput[],
): Outcome<ReadTurn> | undefined =>
  useAnswer(useCallback(() => readTurn(turnId, replies), [turnId, replies]));
