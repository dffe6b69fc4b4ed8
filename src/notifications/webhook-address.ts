import { lookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A webhook leads to an address that is not on the public Internet, although only public ones are allowed. */
export class ForbiddenAddressError extends Error {
  override readonly name = 'ForbiddenAddressError';

  constructor(host: string, address: string) {
    super(
      `${host} leads to ${address}, which is not on the public Internet (ORION_WEBHOOK_PRIVATE=true allows it)`,
    );
  }
}

/** The part of IPv6 that is assigned to the Internet (RFC 4291, section 2.4; IANA "IPv6 Address Space"). */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3');

/**
 * Reports whether everybody on the Internet can reach an address, which is then not loopback, a private network,
 * link-local, carrier-grade NAT, a tunnel … Returns false for a text that is no IP address.
 */
export const isPublicAddress = (address: string): boolean => {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || parsed.match(GLOBAL_IPV6));
};

/**
 * Throws ForbiddenAddressError for a host that is itself an IP address and not a public one. Such a host is never
 * looked up, so `lookupPublic` does not see it. An IPv6 address may have the square brackets that it has in a URL.
 */
export const requirePublicHost = (host: string): void => {
  const literal = host.replace(/^\[(.*)\]$/, '$1');
  if (isIP(literal) !== 0 && !isPublicAddress(literal)) throw new ForbiddenAddressError(host, literal);
};

/**
 * Looks a name up and refuses it when any of its addresses is not public. The connection is made to an address that was
 * checked, because nothing is looked up twice. So an answer that changes in between has no effect.
 */
export const lookupPublic: LookupFunction = (host, options, callback) => {
  lookup(host, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
    const [first] = addresses ?? [];
    if (error ?? !first) {
      callback(error ?? new Error(`${host} has no address`), '');
      return;
    }
    const forbidden = addresses.find(({ address }) => !isPublicAddress(address));
    if (forbidden) callback(new ForbiddenAddressError(host, forbidden.address), '');
    else if (options.all === true) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};
