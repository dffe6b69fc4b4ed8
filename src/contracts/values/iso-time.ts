/** Returns a time as events and records have it, in ISO 8601 and UTC. `ms` is in milliseconds since 1970. */
export const isoTime = (ms: number): string =>
  // oxlint-disable-next-line no-restricted-globals -- a given time is only formatted, so no clock is read
  new Date(ms).toISOString();
