/**
 * Hosts with which a server listens at every address, and the loopback address that each of them includes. For `::`
 * it is the one of IPv6, because the server may listen on IPv6 only.
 */
const LOOPBACK_OF_WILDCARDS: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]);

/** Returns the URL at which this machine reaches a server that listens at `host`. */
export const localUrlOf = (host: string, port: number): string => {
  const reachable = LOOPBACK_OF_WILDCARDS.get(host) ?? host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
};

/** Reports whether a server that listens at `host` listens at every address of its machine. */
export const isEveryAddress = (host: string): boolean => LOOPBACK_OF_WILDCARDS.has(host);
