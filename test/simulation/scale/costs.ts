import { readFileSync } from 'node:fs';

/** The CPU of a call with its keys, in ms. */
export interface Line {
  readonly perCallMs: number;
  readonly perKeyMs: number;
}

/** What measure.ts measured. `server` is for a whole `onceEach`: the claim, its record, and the handler's statement. */
export interface Costs {
  readonly measured: string;
  readonly machine: string;
  readonly redis: { readonly server: Line };
  readonly postgresLeases: { readonly server: Line };
  readonly postgresTransactional: { readonly server: Line };
  /** A flush of the log to the disk. */
  readonly flushMs: number;
  readonly replica: { readonly perDeliveryMs: number; readonly perEventMs: number };
}

export function readCosts(): Costs {
  return JSON.parse(readFileSync(new URL('./costs.json', import.meta.url), 'utf8'));
}
