import { turnSuite } from './turn-suite.ts';

turnSuite({});
