import { providerSuite } from './support/provider-suite.ts';
import { turnSuite, useTurns } from './support/turn-suite.ts';

const turns = useTurns({});
turnSuite(turns, { hasLane: true });
providerSuite(turns);
