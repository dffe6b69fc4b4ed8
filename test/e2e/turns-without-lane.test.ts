/**
 * Without the live lane everything works through signals and queries alone, only slower (docs/turns.md "Live lane").
 */
import { turnSuite } from './support/turn-suite.ts';

turnSuite({ LIVE_LANE: 'off' });
