import { truncateToJsonBytes } from '../../base/json/json-text.ts';
import type { InputView } from '../../contracts/http/input-api.ts';
import { inputIdOf } from '../../contracts/inputs/input-id.ts';
import type { InputRow } from '../../db/inputs/input-row.ts';
import { KIB } from '../../contracts/values/units.ts';

/** Largest size, in bytes of JSON, of the arguments that a list shows of one request. */
const LISTED_BYTES = 2 * KIB;

/** Returns an input request as clients see it, with all of its arguments and its diff. */
export const toInputView = (row: InputRow): InputView => {
  const { turnId, n, projectId, conversationId, kind, request, argsHash, diff, state, message } = row;
  const { replyHash: _known, inputId: _id, ...resolution } = row.resolution ?? NO_RESOLUTION;
  return {
    inputId: inputIdOf(turnId, n),
    turnId,
    projectId,
    conversationId,
    kind,
    message,
    ...request,
    options: [...request.options],
    ...(argsHash !== null && { argsHash }),
    ...(diff !== null && { diff }),
    default: row.default,
    status: state,
    openedAt: row.openedAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    resolution: row.resolution && resolution,
    closedAt: row.closedAt?.toISOString() ?? null,
  };
};

/** Stands in for the resolution of an open request, and is never shown. */
const NO_RESOLUTION: NonNullable<InputRow['resolution']> = {
  inputId: '',
  reply: 'deny',
  by: { kind: 'expiry' },
  at: '',
};

/** Returns an input request as lists show it: as `toInputView` does, but with long arguments cut. */
export const toListedInput = (row: InputRow): InputView => {
  const view = toInputView(row);
  const { arguments: text } = row.request;
  const listedText = text && truncateToJsonBytes(text, LISTED_BYTES);
  return listedText === text ? view : { ...view, arguments: listedText, truncated: true };
};
