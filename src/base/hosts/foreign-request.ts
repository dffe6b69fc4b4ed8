import type { IncomingMessage } from 'node:http';
import { matchesHost, parseHost, parseOrigin } from './host-rules.ts';
import { LOOPBACK_HOSTS } from './loopback.ts';

/**
 * Returns why a request to a port of this machine is refused, or undefined if it is not.
 *
 * - `Host` reveals a page whose name was made to resolve to this machine (DNS rebinding).
 * - `Origin` reveals a page of another site that posts (CSRF). Programs other than browsers usually send no `Origin`.
 * - `allowed` are further hosts that are accepted, as in ORION_ALLOWED_HOSTS.
 */
export const foreignRequestProblem = (
  { headers, rawHeaders }: Pick<IncomingMessage, 'headers' | 'rawHeaders'>,
  allowed: readonly string[] = [],
): string | undefined => {
  // RFC 9112, section 3.2, demands exactly one `Host`. Of several, Node shows the first, but another program may read
  // another one.
  const hostHeaders = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
  const host = hostHeaders.length === 1 ? parseHost(headers.host ?? '') : undefined;
  const isAllowed = [...LOOPBACK_HOSTS, ...allowed].some((entry) => {
    const rule = parseHost(entry);
    return rule !== undefined && matchesHost(host, rule);
  });
  if (host === undefined || !isAllowed) return 'This Host is not one of this machine.';
  if (headers.origin === undefined) return undefined;
  const origin = parseOrigin(headers.origin);
  const isOwn =
    /^https?$/.test(origin?.scheme ?? '') && origin?.host === host.host && origin.port === host.port;
  return isOwn ? undefined : 'This Origin is not that of the page that is asked for.';
};
