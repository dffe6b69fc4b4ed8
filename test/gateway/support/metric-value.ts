import type { GatewayWorld } from './gateway-world.ts';

/** Resolves to the value of one series of `/metrics`, such as `orion_active_streams`; undefined when there is none. */
export const metricValue = async (
  world: Pick<GatewayWorld, 'get'>,
  series: string,
): Promise<number | undefined> => {
  const { text } = await world.get('/metrics');
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.split(' ')[1]);
};
