/**
 * Returns a moment as events and records have it, in ISO 8601 and UTC. `ms` is in milliseconds of a host's clock since
 * 1970.
 */
export const isoTime = (ms: number): string => new Date(ms).toISOString();
