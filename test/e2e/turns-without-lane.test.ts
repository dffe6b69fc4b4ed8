/**
 * Without the live lane everything works through signals and queries alone, only slower (docs/turns.md "Live lane").
 */
import { turnSuite, useTurns } from './support/turn-suite.ts';

turnSuite(useTurns({ LIVE_LANE: 'off' }), { hasLane: false });
