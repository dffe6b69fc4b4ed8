import { type ProtocolName, protocolNameSchema } from '../../contracts/turn-facts.ts';

/** What a request says of its protocol, and whether two-stage is on. */
export interface ProtocolSelection {
  /** The request came by `/api/chat/messages_two_stage`. */
  readonly twoStageRoute: boolean;
  /** `metadata.protocol` as received. */
  readonly wished?: unknown;
  readonly twoStageEnabled: boolean;
}

/** The protocol of a request, or why it gets none. */
export type ProtocolChoice =
  | { readonly kind: 'chosen'; readonly protocol: ProtocolName }
  /** The two-stage route while it is off (501). */
  | { readonly kind: 'disabled' }
  /** `metadata.protocol` names an unknown protocol, or one that is off (400). */
  | { readonly kind: 'invalid'; readonly expected: string; readonly received: unknown };

/** docs/protocol.md "Choice of protocol": the route, else the metadata, else the default. */
export const chooseProtocol = ({
  twoStageRoute,
  wished,
  twoStageEnabled,
}: ProtocolSelection): ProtocolChoice => {
  if (twoStageRoute) {
    return twoStageEnabled ? { kind: 'chosen', protocol: 'two_stage' } : { kind: 'disabled' };
  }
  if (wished === undefined || wished === null) {
    return { kind: 'chosen', protocol: twoStageEnabled ? 'two_stage' : 'standard' };
  }
  const parsed = protocolNameSchema.safeParse(wished);
  const available = protocolNameSchema.options.filter((name) => twoStageEnabled || name !== 'two_stage');
  if (!parsed.success || !available.includes(parsed.data)) {
    const names = available.map((name) => JSON.stringify(name)).join(' or ');
    const expected = twoStageEnabled ? names : `${names} (two-stage is off)`;
    return { kind: 'invalid', expected, received: wished };
  }
  return { kind: 'chosen', protocol: parsed.data };
};
