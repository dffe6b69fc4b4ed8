import { limitJson } from '../../base/json/json-limit.ts';
import type { JsonValue } from '../../contracts/values/json-value.ts';

/** Largest size of one result that the model sees, in bytes of UTF-8 (docs/tools.md). */
export const MODEL_RESULT_BYTES = 32 * 1024;

/**
 * Room, in bytes, for the text that the protocol core puts around a result: the box's rules, the tool's name, the call
 * id.
 */
const BOX_BYTES = 1024;

/** Returns a tool's result as the model is shown it: whole, or cut to what fits, with a marker at the cut. */
export const limitForModel = (value: JsonValue): JsonValue =>
  limitJson(value, MODEL_RESULT_BYTES - BOX_BYTES);
