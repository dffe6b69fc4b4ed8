import type { Generated } from 'kysely';
import type { Timestamp, TimestampOrNull } from './column-types.ts';

export interface CallSpendTable {
  turn_id: string;
  epoch: number;
  step: number;
  model: string;
  owner: string;
  /** Day on which the attempt began, `YYYY-MM-DD`, UTC. */
  day: string;
  /** The largest cost that the attempt can have. Costs are whole millionths of the currency, as text. */
  most: string;
  prompt_cost: string;
  /** The price of one token of output, in millionths of a millionth of the currency (see `ModelPrice`). */
  output_price: string;
  /** The cost of the attempt. Null while the attempt runs, and after it was lost, until it is settled. */
  cost: Generated<string | null>;
  /** True when the attempt's step was repeated. */
  wasted: Generated<boolean>;
  /** The last turn of the summary that the attempt is made for. Null if the attempt is a model call of its turn. */
  summary_turn_id: Generated<string | null>;
  started_at: Timestamp;
  /** Time at which a sweeper last checked whether the summary's workflow still runs. Null if none has. */
  swept_at: TimestampOrNull;
}

export interface SpendTable {
  owner: string;
  /** The day as `YYYY-MM-DD` in UTC. */
  day: string;
  /** Cost of the settled attempts. Costs are whole millionths of the currency, as text. */
  spent: Generated<string>;
  wasted: Generated<string>;
  reserved: Generated<string>;
}
