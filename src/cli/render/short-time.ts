/** Returns the date and time of the day in UTC, to the minute, of a time in ISO 8601. */
export const shortTime = (iso: string): string => iso.slice(0, 16).replace('T', ' ');
