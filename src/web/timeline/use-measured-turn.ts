import { useCallback, useMemo } from 'react';
import type { TraceEvent } from '../../contracts/http/trace-api.ts';
import type { GatewayResult } from '../http/gateway-request.ts';
import { readTurnStatus } from '../http/turn-requests.ts';
import { readTurnTrace } from '../http/trace-requests.ts';
import { useRequest } from '../http/use-request.ts';
import type { MeasuredTurn } from './turn-measures.ts';
import { type InputReply, spansOfTurn, timelineMsOf } from './turn-spans.ts';

interface TracedTurn extends Pick<MeasuredTurn, 'status'> {
  readonly trace: readonly TraceEvent[];
}

/**
 * Returns the status and the spans of a turn, or undefined until they are read. They are read once for each turn, even
 * if `replies` changes, so that the zoom stays.
 */
export const useMeasuredTurn = (
  turnId: string,
  replies: readonly InputReply[],
): GatewayResult<MeasuredTurn> | undefined => {
  const response = useRequest(useCallback(() => readTracedTurn(turnId), [turnId]));
  return useMemo(() => {
    if (!response?.ok) return response;
    const { status, trace } = response.value;
    const spans = spansOfTurn({ startedAt: status.startedAt, trace, replies });
    return { ok: true, value: { status, spans, timelineMs: timelineMsOf(status, spans) } };
  }, [response, replies]);
};

const readTracedTurn = async (turnId: string): Promise<GatewayResult<TracedTurn>> => {
  const status = await readTurnStatus(turnId);
  if (!status.ok) return status;
  const trace = await readTurnTrace(status.value.projectId, turnId);
  if (!trace.ok) return trace;
  return { ok: true, value: { status: status.value, trace: trace.value } };
};
