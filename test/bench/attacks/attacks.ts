import type { Attack } from './attack.ts';
import { httpAttacks } from './http-attacks.ts';
import { turnAttacks } from './turn-attacks.ts';

/** Everything that one key, or nobody's, is known to do. */
export const attacks: readonly Attack[] = [...httpAttacks, ...turnAttacks];
