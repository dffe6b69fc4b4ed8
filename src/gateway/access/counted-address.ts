import { ipKeyGenerator } from 'express-rate-limit';

/**
 * Returns the address for which the limits of a client without a key count. For IPv6 it is the subnet (`/56`), since a
 * client owns all of it. An IPv4 address that is written as IPv6 counts as the IPv4 address. `address` is undefined for
 * a connection that has closed.
 */
export const countedAddress = (address: string | undefined): string => ipKeyGenerator(address ?? '');
