import { hostname } from 'node:os';
import type { GatewayConfig } from '../../config/config.ts';
import { isEveryAddress } from '../../base/hosts/local-url.ts';
import { isLoopback } from '../../base/hosts/loopback.ts';
import { markRedisLane, signLaneAddress } from '../../live/lane-address.ts';

/** The address on which a gateway listens, and its port. */
export interface ListenAddress {
  readonly port: number;
  /** Base URL under which workers on this machine reach the gateway. */
  readonly localUrl: string;
}

/**
 * Returns the address at which workers and other gateways find this gateway, as turns carry it. Returns undefined when
 * the live lane is off. Without a configured address, a gateway that listens on all addresses is found by the name of
 * its machine. In a container that is the container's own name, since the name of a service would lead to each of its
 * containers in turn.
 */
export const laneAddressOf = (
  { http, live }: Pick<GatewayConfig, 'http' | 'live'>,
  { port, localUrl }: ListenAddress,
  machine = hostname(),
): string | undefined => {
  if (!live.isEnabled) return undefined;
  const ownUrl = isEveryAddress(http.host) ? `http://${machine}:${port}` : localUrl;
  const address = signLaneAddress(live.token, live.address ?? ownUrl);
  return live.redisUrl === undefined ? address : markRedisLane(address);
};

/**
 * Returns the hosts that requests to a gateway may name in `Host`. Beyond loopback these include the name of its
 * machine, so that nobody has to configure it.
 */
export const allowedHostsOf = (
  { host, allowedHosts }: Pick<GatewayConfig['http'], 'host' | 'allowedHosts'>,
  machine = hostname(),
): readonly string[] => (isLoopback(host) ? allowedHosts : [...allowedHosts, machine]);
