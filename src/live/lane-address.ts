import { isLoopback } from '../base/loopback.ts';
import { parseOrigin, type OriginRule } from '../base/allow-list.ts';

/**
 * Whether events may be sent to `address`. It stands in a workflow's input, which whoever reaches Temporal can
 * choose: this machine and the addresses of `rules` are taken, nothing else. A rule is `http://host:port`, its port
 * or scheme left out for any; `*.host` stands for every name below `host`.
 */
export const isLaneAddress = (address: URL, rules: readonly OriginRule[]): boolean =>
  isLoopback(address.hostname.replace(/^\[|\]$/g, '')) || rules.some((rule) => matches(rule, address));

const matches = ({ scheme, host, port }: OriginRule, address: URL): boolean =>
  (scheme === undefined || `${scheme}:` === address.protocol) &&
  (port === undefined || port === (address.port || '80')) &&
  (host.startsWith('*.') ? address.hostname.endsWith(host.slice(1)) : address.hostname === host);

/** Reads the entries of ORION_LIVE_ALLOWED_ADDRESSES. Throws on one that cannot be read. */
export const laneAddressRules = (entries: readonly string[]): OriginRule[] =>
  entries.map((entry) => {
    const rule = parseOrigin(entry);
    if (rule) return rule;
    throw new Error(
      `ORION_LIVE_ALLOWED_ADDRESSES: expected http://host:port, received ${JSON.stringify(entry)}`,
    );
  });
