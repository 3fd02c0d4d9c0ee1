import { readFileSync } from 'node:fs';

/** The CPU of a call with its keys, in ms. */
export interface Line {
  readonly perCallMs: number;
  readonly perKeyMs: number;
}

/** What a whole `onceEach` costs: the claim, its record, and in a transaction the handler's statement. */
export interface StoreCosts {
  readonly server: Line;
  /** In the process of the replica. */
  readonly client: Line;
}

/** What measure.ts measured. */
export interface Costs {
  readonly measured: string;
  readonly machine: string;
  readonly redis: StoreCosts;
  readonly postgresLeases: StoreCosts;
  readonly postgresTransactional: StoreCosts;
  /** A flush of the log to the disk. */
  readonly flushMs: number;
  readonly replica: { readonly perDeliveryMs: number; readonly perEventMs: number };
}

export function readCosts(): Costs {
  return JSON.parse(readFileSync(new URL('./costs.json', import.meta.url), 'utf8'));
}
