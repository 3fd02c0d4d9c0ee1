/** A known contract. */
export interface KnownContract {
  readonly abi?: readonly unknown[] | undefined;
  /** Decimals of a token, to also show amounts in units of the token. */
  readonly decimals?: number | undefined;
  /** Symbol of a token: untrusted text. */
  readonly symbol?: string | undefined;
}

/** Known contracts, by lower-case address. */
export type KnownContracts = ReadonlyMap<string, KnownContract>;
