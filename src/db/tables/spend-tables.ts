import type { Generated } from 'kysely';

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
  /** What the attempt has cost, in whole millionths; null: it goes on, or is lost. */
  cost: Generated<string | null>;
  /** Whether the attempt's step was done again. */
  wasted: Generated<boolean>;
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
