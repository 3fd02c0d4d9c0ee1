/** Bodies up to this size are hashed and parsed in well under a millisecond. */
const SMALL = 64 * 1024;

/**
 * Lets work on large bodies begin one at a time, with a turn of the event loop between two of them, so that what is small
 * never waits for more than one that is large.
 */
export function createTurns(): (bytes: number) => Promise<void> {
  let last = Promise.resolve();
  return (bytes) => {
    if (bytes <= SMALL) return Promise.resolve();
    const turn = last;
    last = turn.then(() => new Promise((resolve) => setImmediate(resolve)));
    return last;
  };
}
