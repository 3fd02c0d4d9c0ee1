import { verdicts } from './verdict.js';

/** @typedef {import('./types.js').Summary} Summary */
/** @typedef {{ seq: number, summary: Summary, text?: string | undefined }} Entry `seq` counts up */
/** @typedef {{ added: Entry[], changed: Entry[], dropped: number }} Change `dropped` of the oldest are gone */

// Untrusted names are keys of Maps only, where `__proto__` is an ordinary key.
/** @param {Map<string, number>} tally @param {Iterable<string>} keys @param {1 | -1} by */
function count(tally, keys, by) {
  for (const key of new Set(keys)) {
    const total = (tally.get(key) ?? 0) + by;
    if (total > 0) tally.set(key, total);
    else tally.delete(key);
  }
}

/** The deliveries of the page, oldest first, with counts by verdict, kind and contract. At most `limit`. */
export function createStore() {
  /** @type {Entry[]} */
  let entries = [];
  /** @type {Map<string, Entry>} */
  const byId = new Map();
  const verdictTally = new Map(verdicts.map((verdict) => [/** @type {string} */ (verdict), 0]));
  /** @type {Map<string, number>} */
  const kindTally = new Map();
  /** @type {Map<string, number>} */
  const contractTally = new Map();
  let nextSeq = 0;
  let limit = 10_000;

  /** @param {Summary} summary @param {1 | -1} by */
  function tally(summary, by) {
    count(verdictTally, [summary.verdict], by);
    count(kindTally, summary.kinds, by);
    count(contractTally, summary.contracts, by);
  }

  /** @param {readonly Summary[]} summaries @returns {Change} */
  function apply(summaries) {
    /** @type {Set<Entry>} */
    const added = new Set();
    /** @type {Set<Entry>} */
    const changed = new Set();
    for (const summary of summaries) {
      const known = byId.get(summary.id);
      if (known) {
        tally(known.summary, -1);
        known.summary = summary;
        known.text = undefined;
        if (!added.has(known)) changed.add(known);
      } else {
        const entry = { seq: nextSeq++, summary };
        entries.push(entry);
        byId.set(summary.id, entry);
        added.add(entry);
      }
      tally(summary, 1);
    }
    const dropped = entries.splice(0, Math.max(0, entries.length - limit));
    for (const entry of dropped) {
      byId.delete(entry.summary.id);
      tally(entry.summary, -1);
      added.delete(entry);
      changed.delete(entry);
    }
    return { added: [...added], changed: [...changed], dropped: dropped.length };
  }

  /** Replaces all deliveries; known ones keep their entries. @param {readonly Summary[]} summaries */
  function replace(summaries) {
    const ids = new Set(summaries.map(({ id }) => id));
    for (const { summary } of entries) {
      if (ids.has(summary.id)) continue;
      byId.delete(summary.id);
      tally(summary, -1);
    }
    entries = entries.filter(({ summary }) => ids.has(summary.id));
    apply(summaries);
  }

  function clear() {
    entries = [];
    byId.clear();
    for (const each of [verdictTally, kindTally, contractTally]) each.clear();
  }

  return {
    apply,
    replace,
    clear,
    /** @returns {readonly Entry[]} */
    all: () => entries,
    /** @param {string} id */
    get: (id) => byId.get(id),
    /** @param {number} most */
    setLimit(most) {
      limit = most;
    },
    verdictTally,
    kindTally,
    contractTally,
  };
}

/** @typedef {ReturnType<typeof createStore>} Store */
