import type { Attack } from './attack.ts';
import { httpAttacks } from './http-attacks.ts';
import { turnAttacks } from './turn-attacks.ts';

/** All known attacks of a single key, or of somebody without a key. */
export const attacks: readonly Attack[] = [...httpAttacks, ...turnAttacks];
