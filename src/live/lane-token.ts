import { createHash, timingSafeEqual } from 'node:crypto';

/** Value of the Authorization header by which a worker proves that it belongs to this installation. */
export const laneAuthorization = (token: string): string => `Bearer ${token}`;

/** Compares in a time that depends on neither value: digests have one length, whatever was sent. */
export function isLaneAuthorization(header: string | undefined, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(header ?? ''), digest(laneAuthorization(token)));
}
