/** Matches hosts that only this machine can reach. */
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/;

/** Reports whether a server that listens on `host` is out of reach for other machines. */
export const isLoopback = (host: string): boolean => LOOPBACK.test(host);

/** Reports whether a URL names a host that only this machine can reach. An IPv6 address has brackets in a URL. */
export const isLoopbackUrl = ({ hostname }: URL): boolean => isLoopback(hostname.replace(/^\[|\]$/g, ''));

/** Names under which programs and browsers of this machine reach its ports. */
export const LOOPBACK_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];
