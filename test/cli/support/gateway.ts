import { afterEach, beforeEach } from '@jest/globals';
import { GatewayWorld } from '../../gateway/support/gateway-world.ts';

/** Gives every test a gateway of its own: the real routes over turns in memory. */
export const useGatewayWorld = (): (() => GatewayWorld) => {
  let world: GatewayWorld | undefined;
  beforeEach(async () => {
    world = await GatewayWorld.open();
  });
  afterEach(() => world?.close());
  return () => {
    if (!world) throw new Error('the gateway is open within a test only');
    return world;
  };
};
