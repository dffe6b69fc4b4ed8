/**
 * How long the provider asks us to wait, in milliseconds: `retry-after-ms`, else `Retry-After` in seconds or as
 * an HTTP date (RFC 9110 section 10.2.3). Undefined when absent or unreadable.
 */
export function retryAfterMs(headers: Headers | undefined, now: number): number | undefined {
  const precise = headers?.get('retry-after-ms')?.trim();
  if (precise && isNumeric(precise)) return Math.round(Number(precise));
  const value = headers?.get('retry-after')?.trim();
  if (!value) return undefined;
  if (isNumeric(value)) return Math.round(Number(value) * 1000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

const isNumeric = (text: string): boolean => /^\d{1,9}(\.\d+)?$/.test(text);
