/**
 * Without the live lane everything works through only signals and queries, but more slowly (docs/turns.md "Live lane").
 */
import { turnSuite, useTurns } from './support/turn-suite.ts';

turnSuite(useTurns({ LIVE_LANE: 'off' }), { hasLane: false });
