/** What a search has spent, and may spend: bytes that are hashed or made. It bounds time without a clock. */
export interface Work {
  /** Bytes spent. Never more than the limit. */
  readonly spent: number;
  /** Spends bytes when there are as many left. */
  spend(bytes: number): boolean;
}

/** As much as takes about a second without native hashes. */
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
