import { type SentPromptResponse, sentPromptResponseSchema } from '../../contracts/http/prompt-api.ts';
import { type TraceEvent, type TraceList, traceListSchema } from '../../contracts/http/trace-api.ts';
import { sendRequest, type GatewayResult } from './gateway-request.ts';
import { queryStringOf } from '../../contracts/http/query-string.ts';

const TRACE_PAGE_SIZE = 200;

/** Number of events after which the reading of a trace stops. A turn of 50 tools has some 300. */
const MAX_TRACE_EVENTS = 2_000;

/** Reads the trace of a turn, or only events of one type, oldest first. Reads at most `MAX_TRACE_EVENTS`. */
export const readTurnTrace = async (
  projectId: string,
  turnId: string,
  type?: TraceEvent['type'],
): Promise<GatewayResult<readonly TraceEvent[]>> => {
  const events: TraceEvent[] = [];
  for (let offset: number | null = 0; offset !== null && events.length < MAX_TRACE_EVENTS;) {
    const query: string = queryStringOf({
      projectId,
      requestId: turnId,
      limit: TRACE_PAGE_SIZE,
      offset,
      type,
    });
    const page: GatewayResult<TraceList> = await sendRequest(
      traceListSchema,
      'GET',
      `/api/trace/logs${query}`,
    );
    if (!page.ok) return page;
    events.push(...page.value.events);
    offset = page.value.nextOffset;
  }
  return { ok: true, value: events };
};

/**
 * A page of the prompt of a model call. `offset` and `limit` count messages; `characters` is the largest number of
 * characters that is shown of each message.
 */
export interface SentPromptPage {
  readonly turnId: string;
  /** The number of the model call in its turn, from 1. */
  readonly step: number;
  readonly offset: number;
  readonly limit: number;
  readonly characters: number;
}

/** Reads a page of the messages that a model call was sent. */
export const readSentPrompt = ({
  turnId,
  step,
  ...page
}: SentPromptPage): Promise<GatewayResult<SentPromptResponse>> =>
  sendRequest(
    sentPromptResponseSchema,
    'GET',
    `/api/turns/${encodeURIComponent(turnId)}/prompts/${step}${queryStringOf({ ...page })}`,
  );
