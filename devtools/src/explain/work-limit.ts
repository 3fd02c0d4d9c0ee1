/** The work budget of a search, in bytes hashed or produced. It bounds time without a clock. */
export interface Work {
  /** Bytes spent. Never more than the limit. */
  readonly spent: number;
  /** Spends bytes if enough are left. */
  spend(bytes: number): boolean;
}

/** About one second of work without native hashes. */
export const MOST_WORK = 64 * 1024 * 1024;

export function createWork(limit: number = MOST_WORK): Work {
  let spent = 0;
  return {
    get spent() {
      return spent;
    },
    spend(bytes) {
      if (spent + bytes > limit) return false;
      spent += bytes;
      return true;
    },
  };
}
