import type { EventBatch } from '../contracts/wire/event-batch.ts';
import { MAX_LANE_LINE_EVENTS } from '../contracts/wire/live-lane.ts';
import { formatEventId } from '../contracts/wire/event-id.ts';

/** A batch of the live lane (`laneBatchSchema`) as JSON. */
interface BatchText {
  readonly text: string;
  /** Id of the last event in the batch. */
  readonly lastId: string;
}

/**
 * Returns a batch as the live lane carries it, in parts of as many events as a line may have. `json` is its events as
 * JSON, if the caller has already made that.
 */
export const batchTexts = (
  batch: EventBatch,
  json: readonly string[] = batch.events.map((event) => JSON.stringify(event)),
): BatchText[] => {
  const parts: BatchText[] = [];
  for (let from = 0; from < json.length; from += MAX_LANE_LINE_EVENTS) {
    parts.push(partOf(batch, from, json.slice(from, from + MAX_LANE_LINE_EVENTS)));
  }
  return parts;
};

/** Returns the batch from its event `from` on, as far as `json` goes. */
const partOf = ({ epoch, seq, after }: EventBatch, from: number, json: readonly string[]): BatchText => {
  const follows = after === undefined || from > 0 ? '' : `,"after":${JSON.stringify(after)}`;
  const text = `{"epoch":${epoch},"seq":${seq + from}${follows},"events":[${json.join(',')}],"sentAt":${Date.now()}}`;
  return { text, lastId: formatEventId({ epoch, seq: seq + from + json.length - 1 }) };
};
