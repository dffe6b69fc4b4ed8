/** A host that is allowed. If `port` is undefined, every port is allowed. */
export interface HostRule {
  readonly host: string;
  readonly port: string | undefined;
}

/** An origin that is allowed. If `scheme` or `port` is undefined, every scheme or port is allowed. */
export interface OriginRule extends HostRule {
  readonly scheme: string | undefined;
}

/** The default port of each scheme (RFC 9110, section 4.2). */
export const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: '80', https: '443' };

const HOST = /^(\[[0-9a-f:.]+\]|[^\s/:[\]]+)(?::(\d{1,5}))?$/i;
const ORIGIN = /^(?:([a-z][a-z0-9+.-]*):\/\/)?(\[[0-9a-f:.]+\]|[^\s/:[\]]+)(?::(\d{1,5}))?\/?$/i;

/**
 * Reads an entry of ORION_ALLOWED_HOSTS or a `Host` header. Returns undefined for anything but `host` or `host:port`.
 */
export const parseHost = (text: string): HostRule | undefined => {
  const [, host, port] = HOST.exec(text) ?? [];
  return host === undefined ? undefined : { host: host.toLowerCase(), port };
};

/** Reports whether a host fits a rule. An undefined host fits none. */
export const matchesHost = (given: HostRule | undefined, { host, port }: HostRule): boolean =>
  given?.host === host && (port === undefined || given.port === port);

/**
 * Reads an entry of ORION_ALLOWED_ORIGINS or an `Origin` header. Returns undefined for a text that is not an origin.
 */
export const parseOrigin = (text: string): OriginRule | undefined => {
  const [, scheme, host, port] = ORIGIN.exec(text) ?? [];
  return host === undefined ? undefined : { scheme: scheme?.toLowerCase(), host: host.toLowerCase(), port };
};
