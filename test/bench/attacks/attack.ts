import type { Rule } from '../../support/fake-model/script.ts';

/** What an attacker has: one API key, its project, and as many sockets as the machine allows. */
export interface Target {
  readonly baseUrl: string;
  readonly key: string;
  readonly projectId: string;
}

/** One thing that a single key, or somebody without a key, does to make the service unusable for everybody else. */
export interface Attack {
  readonly name: string;
  /** What the model, which the attacker has chosen, answers to the attacker's turns. */
  readonly rules?: readonly Rule[];
  /** Attacks until the signal is aborted; the answers of the gateway are ignored. */
  run(target: Target, signal: AbortSignal): Promise<void>;
}
