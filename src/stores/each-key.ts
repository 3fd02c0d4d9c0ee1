/** How many keys of one call are sent to a server at the same time; AWS SDK 3 opens 50 connections by default. */
const LANES = 32;

/**
 * Calls `work` for each key, some at a time. A lane ends with its first failure, so that an outage does not make a call fail
 * once a key. Waits for all lanes before it rejects, so that what follows a failure follows all of them.
 */
export async function eachKey<Word>(
  keys: readonly string[],
  work: (key: string) => Promise<Word>,
): Promise<Map<string, Word>> {
  const words = new Map<string, Word>();
  // Shared by the lanes: an iterator of an array stays open when a lane fails.
  const left = keys.values();
  const lane = async () => {
    for (const key of left) words.set(key, await work(key));
  };
  const lanes = await Promise.allSettled(Array.from({ length: Math.min(LANES, keys.length) }, lane));
  for (const each of lanes) if (each.status === 'rejected') throw each.reason;
  return words;
}
