import { type ProtocolName, protocolNameSchema } from '../../contracts/turn/turn-facts.ts';

/** The protocol that a request asks for, and whether two-stage is on. */
export interface RequestedProtocol {
  /** True when the request came by `/api/chat/messages_two_stage`. */
  readonly isTwoStageRoute: boolean;
  /** `metadata.protocol` as it was received. */
  readonly requested?: unknown;
  readonly offersTwoStage: boolean;
}

/** The protocol of a request, or why it gets none. */
export type ProtocolChoice =
  | { readonly kind: 'chosen'; readonly protocol: ProtocolName }
  /** The two-stage route was asked for while it is off (501). */
  | { readonly kind: 'disabled' }
  /** The requested `metadata.protocol` is unknown, or off (400). */
  | { readonly kind: 'invalid'; readonly expected: string; readonly received: unknown };

/**
 * Chooses the protocol of a turn (docs/protocol.md "Choice of protocol"): the route's, otherwise the metadata's,
 * otherwise the default.
 */
export const chooseProtocol = ({
  isTwoStageRoute,
  requested,
  offersTwoStage,
}: RequestedProtocol): ProtocolChoice => {
  if (isTwoStageRoute) {
    return offersTwoStage ? { kind: 'chosen', protocol: 'two_stage' } : { kind: 'disabled' };
  }
  if (requested === undefined || requested === null) {
    return { kind: 'chosen', protocol: offersTwoStage ? 'two_stage' : 'standard' };
  }
  const parsed = protocolNameSchema.safeParse(requested);
  const available = protocolNameSchema.options.filter((name) => offersTwoStage || name !== 'two_stage');
  if (!parsed.success || !available.includes(parsed.data)) {
    const names = available.map((name) => JSON.stringify(name)).join(' or ');
    const expected = offersTwoStage ? names : `${names} (two-stage is off)`;
    return { kind: 'invalid', expected, received: requested };
  }
  return { kind: 'chosen', protocol: parsed.data };
};
