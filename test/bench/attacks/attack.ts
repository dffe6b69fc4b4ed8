import type { Rule } from '../../support/fake-model/script.ts';

/** What an attacker has: one API key, its project, and as many sockets as the machine gives. */
export interface Target {
  readonly baseUrl: string;
  readonly key: string;
  readonly projectId: string;
}

/** One thing that a single key, or somebody without one, does to take the service from everybody else. */
export interface Attack {
  readonly name: string;
  /** What the model that the attacker chose says to the attacker's turns. */
  readonly rules?: readonly Rule[];
  /** Goes on until the signal; what the gateway answers is not of interest. */
  run(target: Target, signal: AbortSignal): Promise<void>;
}
