import { WebhookError } from '../errors.js';
import { withDeadline } from '../internal/deadline.js';
import type { Claimed, LeaseStore, Run, Step, StoreWord } from '../stores/store.js';
import type { Deadline } from './deadline.js';

/** Claims keys, runs the work for the claimed ones, and records them. Like `once` of a transactional store. */
export type Once<Tx> = (
  keys: readonly string[],
  step: Step,
  run: Run<Tx>,
  limit: Deadline,
) => Promise<ReadonlyMap<string, StoreWord>>;

/** Runs work under leases. A duplicate of an event that this process is running waits for that run. */
export function onceWithLeases(store: LeaseStore): Once<undefined> {
  const running = new Map<string, { readonly words: ReturnType<Once<undefined>>; readonly limit: Deadline }>();

  /** The word for a key that this process is running; undefined if there is no run, or its time is over. */
  function elsewhere(key: string): Promise<StoreWord> | undefined {
    const first = running.get(key);
    const leftMs = first === undefined || first.limit.error ? 0 : first.limit.remainingMs();
    if (first === undefined || !(leftMs > 0)) return undefined;
    const word = first.words.then((words) => (words.get(key) === 'handled' ? 'duplicate' : words.get(key)));
    // The store may never answer; a duplicate must not wait forever.
    return withDeadline(word, leftMs, () => new Error('late')).then(
      (settled) => settled ?? 'in-progress',
      () => 'in-progress',
    );
  }

  return async (keys, step, run, limit) => {
    const waiting = keys.map(elsewhere);
    const own = keys.filter((_, at) => waiting[at] === undefined);
    const entry = { words: claimAndRun(store, own, step, run), limit };
    for (const key of own) running.set(key, entry);
    try {
      const words = await entry.words;
      for (const [at, key] of keys.entries()) if (waiting[at]) words.set(key, await waiting[at]);
      return words;
    } finally {
      for (const key of own) if (running.get(key) === entry) running.delete(key);
    }
  };
}

/** Each claim has its own owner, so a run that was taken over neither records nor frees a key. */
async function claimAndRun(
  store: LeaseStore,
  keys: readonly string[],
  step: Step,
  run: Run<undefined>,
): Promise<Map<string, StoreWord>> {
  const words = new Map<string, StoreWord>();
  if (keys.length === 0) return words;
  const owner = crypto.randomUUID();
  const answers = await store.claim(keys, owner, step);
  const fresh = new Map<string, Claimed>();
  for (const key of keys) {
    const answer = answers.get(key);
    const isClaimed = typeof answer === 'object' && answer !== null;
    if (isClaimed) fresh.set(key, answer);
    words.set(key, isClaimed ? 'handled' : (answer as StoreWord));
  }
  if (fresh.size === 0) return words;
  const claimed = [...fresh.keys()];
  try {
    await run(fresh, undefined);
  } catch (error) {
    // If this fails, the keys are free once their lease is over.
    await store.release(claimed, owner).catch(() => {});
    throw error;
  }
  const recorded = await store.record(claimed, owner, step);
  if (claimed.some((key) => recorded.get(key) !== true)) throw new WebhookError('ERR_WEBHOOK_STORE', takenOver(store));
  return words;
}

const takenOver = ({ leaseMs }: LeaseStore) =>
  `Another run has taken over the key, so the event may take effect twice: this run took longer than its lease of ${leaseMs} ms (increase leaseMs), or the store has lost its keys.`;
