import { turnSuite } from './support/turn-suite.ts';

turnSuite({});
