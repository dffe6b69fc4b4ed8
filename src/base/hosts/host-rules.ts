/** A host, as a rule allows it or as a request names it. In a rule, an undefined `port` allows every port. */
export interface HostAndPort {
  readonly host: string;
  readonly port: string | undefined;
}

/**
 * An origin, as a rule allows it or as a request names it. In a rule, an undefined `scheme` or `port` allows every one.
 */
export interface OriginParts extends HostAndPort {
  readonly scheme: string | undefined;
}

/** The default port of each scheme (RFC 9110, section 4.2). */
export const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: '80', https: '443' };

const HOST = /^(\[[0-9a-f:.]+\]|[^\s/:[\]]+)(?::(\d{1,5}))?$/i;
const ORIGIN = /^(?:([a-z][a-z0-9+.-]*):\/\/)?(\[[0-9a-f:.]+\]|[^\s/:[\]]+)(?::(\d{1,5}))?\/?$/i;

/**
 * Reads an entry of ORION_ALLOWED_HOSTS or a `Host` header. Returns undefined for anything but `host` or `host:port`.
 */
export const parseHost = (text: string): HostAndPort | undefined => {
  const [, host, port] = HOST.exec(text) ?? [];
  return host === undefined ? undefined : { host: host.toLowerCase(), port };
};

/** Reports whether a host fits a rule. An undefined host fits none. */
export const matchesHost = (received: HostAndPort | undefined, { host, port }: HostAndPort): boolean =>
  received?.host === host && (port === undefined || received.port === port);

/**
 * Reads an entry of ORION_ALLOWED_ORIGINS or an `Origin` header. Returns undefined for a text that is not an origin,
 * with or without its scheme and port.
 */
export const parseOrigin = (text: string): OriginParts | undefined => {
  const [, scheme, host, port] = ORIGIN.exec(text) ?? [];
  return host === undefined ? undefined : { scheme: scheme?.toLowerCase(), host: host.toLowerCase(), port };
};
