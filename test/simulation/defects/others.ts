import { type Defect, planted } from './defect.js';

/** Mutations of finality and of reconciliation. */
export const otherDefects: readonly Defect[] = [
  // The block of the tag counts as far deeper than it is.
  planted('blocks are final too early', ['finality'], 200, {
    'src/chain/finality/final-blocks.ts': {
      'const last = tagged.number - node.tag.depth;': 'const last = tagged.number + 2;',
    },
  }),
  // A block counts as final without parent hashes that link it to the block of the tag.
  planted('blocks are not linked', ['finality'], 3000, {
    'src/chain/ancestry.ts': { 'return below?.hash === parentHash ? below : undefined;': 'return below;' },
  }),
  // The answer of one node is enough, however many have to agree.
  planted('one node is a quorum', ['finality'], 2000, {
    'src/chain/node-pool.ts': { 'if (answers.length >= this.agree)': 'if (answers.length >= 1)' },
  }),
  // An event is handled when no node could say whether it is final.
  planted('no answer is final', ['finality'], 30, {
    'src/chain/finality/stage.ts': {
      'if (why) kept.set(entry, why);':
        "const { status, error } = verdicts[index] as { status: string; error?: Error };\n      if (why && !(status === 'pending' && error)) kept.set(entry, why);",
    },
  }),
  // Reconciliation takes an event that is in progress or not final for one that took effect.
  planted('the cursor passes what waits', ['reconcile'], 600, {
    'src/chain/reconcile/reconciliation.ts': {
      "if (result.status === 'waiting' || result.status === 'failed')": "if (result.status === 'failed')",
    },
  }),
  // Reconciliation does not list an event whose handler failed.
  planted('the cursor passes what fails', ['reconcile'], 1000, {
    'src/chain/reconcile/reconciliation.ts': {
      'for (const { key, position } of failed) retries.set(key, position);': '',
    },
  }),
  // Reconciliation moves its cursor to the end of a chunk before it handles it.
  planted('the cursor moves before the batch', ['reconcile'], 1000, {
    'src/chain/reconcile/reconciliation.ts': {
      '      await this.#feed(entries.slice(': `      progress.next = chunk.to + 1;\n      await this.#write(true);\n      await this.#feed(entries.slice(`,
    },
  }),
  // Reconciliation does not notice that another process has moved the cursor.
  planted('two processes write the cursor', ['reconcile'], 400, {
    'src/chain/reconcile/progress.ts': { "if (isOurs !== true) throw new Stop('superseded');": '' },
  }),
];
