/** The turn that the page shows in detail, and the other one beside it, as the address says it after `#`. Pure. */

const PREFIX = '#did-';
/** No id of a turn has one (docs/http-api.md "Ids"). */
const SEPARATOR = ',';

/** The part of the address that opens a turn's timeline, beside that of another turn if one is named. */
export const timelineAddress = (turnId: string, besideTurnId?: string): string =>
  `${PREFIX}${[turnId, besideTurnId].filter((id) => id !== undefined).join(SEPARATOR)}`;

/** The turns that such an address names; undefined for any other. */
export const addressedTurns = (
  hash: string,
): { readonly turnId: string; readonly besideTurnId: string | undefined } | undefined => {
  if (!hash.startsWith(PREFIX)) return undefined;
  const [turnId = '', besideTurnId] = hash.slice(PREFIX.length).split(SEPARATOR);
  return { turnId, besideTurnId };
};
