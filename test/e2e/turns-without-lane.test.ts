/** Without the live lane everything works through signals and queries alone, only slower (docs/turns.md "Live lane"). */
import { turnSuite } from './turn-suite.ts';

turnSuite({ LIVE_LANE: 'off' });
