import type { Generated } from 'kysely';
import type { Timestamp, TimestampOrNull } from './column-types.ts';

export interface CallSpendTable {
  turn_id: string;
  epoch: number;
  step: number;
  model: string;
  owner: string;
  /** `YYYY-MM-DD`, UTC: when it began. */
  day: string;
  /** Whole millionths of the currency, as text; so are the others. */
  most: string;
  prompt_cost: string;
  /** Millionths of a millionth for each token of output. */
  output_price: string;
  /** The cost of the attempt, in whole millionths; null: it goes on, or is lost. */
  cost: Generated<string | null>;
  /** Whether the attempt's step was done again. */
  wasted: Generated<boolean>;
  /** The summary that it is made for; null: the attempt is one of its turn. */
  summary_turn_id: Generated<string | null>;
  started_at: Timestamp;
  /** When it was last asked whether the summary's workflow goes on. */
  swept_at: TimestampOrNull;
}

export interface SpendTable {
  owner: string;
  /** `YYYY-MM-DD`, UTC. */
  day: string;
  /** Whole millionths of the currency, as text; so are the others. */
  spent: Generated<string>;
  wasted: Generated<string>;
  reserved: Generated<string>;
}
