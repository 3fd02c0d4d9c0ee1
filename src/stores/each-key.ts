/** How many keys of one call are sent to a server at the same time; AWS SDK 3 opens 50 connections by default. */
const LANES = 32;

/**
 * Calls `work` for each key, some at a time. A lane stops at its first failure, so that in an outage a call does not
 * fail once per key. Rejects only when all lanes have ended, so that nothing is still running.
 */
export async function eachKey<Word>(
  keys: readonly string[],
  work: (key: string) => Promise<Word>,
): Promise<Map<string, Word>> {
  const words = new Map<string, Word>();
  // Shared by the lanes: the iterator of an array stays open when one lane stops.
  const left = keys.values();
  const lane = async () => {
    for (const key of left) words.set(key, await work(key));
  };
  const lanes = await Promise.allSettled(Array.from({ length: Math.min(LANES, keys.length) }, lane));
  for (const each of lanes) if (each.status === 'rejected') throw each.reason;
  return words;
}
