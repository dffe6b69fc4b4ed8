import { Agent, validateHeaderValue } from 'node:http';
import { LANE_PATH } from '../contracts/live-lane.ts';
import { DEFAULT_LANE_LIMITS, type LaneLimits } from './lane-limits.ts';
import { HttpLanePublisher } from './lane-publisher.ts';
import { laneAuthorization } from './lane-token.ts';
import type { LaneLog, LanePublisher, LaneTarget, LaneTransport } from './lane.ts';

export interface LaneTransportOptions {
  /** Shared by the workers and gateways of an installation. */
  readonly token: string;
  readonly log?: LaneLog;
  readonly limits?: Partial<LaneLimits>;
}

/**
 * The live lane over HTTP. Connections are kept alive between publishers, so that one that has a single event to
 * tell costs one exchange. Throws on a token that cannot be an HTTP header.
 */
export function createLaneTransport({ token, log, limits }: LaneTransportOptions): LaneTransport {
  const authorization = laneAuthorization(token);
  validateHeaderValue('authorization', authorization);
  const agent = new Agent({ keepAlive: true });
  const publishers = new Set<HttpLanePublisher>();

  return {
    open(target) {
      const url = laneUrl(target);
      if (!url) {
        const { address, turnId } = target;
        log?.warn({ address, turnId }, 'The live lane needs an http:// address; text goes by signals alone');
        return silentPublisher;
      }
      const stopped = (): void => void publishers.delete(publisher);
      const deps = { url, agent, authorization, log, limits: { ...DEFAULT_LANE_LIMITS, ...limits }, stopped };
      const publisher = new HttpLanePublisher(deps, target);
      publishers.add(publisher);
      return publisher;
    },
    close() {
      for (const publisher of publishers) publisher.stop();
      agent.destroy();
    },
  };
}

function laneUrl({ address, turnId }: LaneTarget): URL | undefined {
  if (!URL.canParse(address)) return undefined;
  const url = new URL(`${LANE_PATH}/${encodeURIComponent(turnId)}`, address);
  return url.protocol === 'http:' ? url : undefined;
}

const silentPublisher: LanePublisher = {
  acknowledged: false,
  publish() {},
  close: () => Promise.resolve(),
};
