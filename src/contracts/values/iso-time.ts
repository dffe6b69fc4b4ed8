/** Returns a time as events and records have it, in ISO 8601 and UTC. `ms` is in milliseconds since 1970. */
export const isoTime = (ms: number): string => new Date(ms).toISOString();
