import type { Defect } from './defect.js';

/** Mutations of finality and of reconciliation. */
export const otherDefects: readonly Defect[] = [
  {
    name: 'blocks are final too early',
    about: 'The block of the tag counts as far deeper than it is.',
    patches: [
      {
        file: 'src/chain/finality/final-blocks.ts',
        find: 'const last = tagged.number - depth;',
        replace: 'const last = tagged.number + 2;',
      },
    ],
    worlds: ['finality'],
    foundWithin: 200,
  },
  {
    name: 'blocks are not linked',
    about: 'A block counts as final without parent hashes that link it to the block of the tag.',
    patches: [
      {
        file: 'src/chain/finality/final-blocks.ts',
        find: 'if (next?.hash === tip.parentHash) {',
        replace: 'if (next) {',
      },
    ],
    worlds: ['finality'],
    foundWithin: 3_000,
  },
  {
    name: 'one node is a quorum',
    about: 'The answer of one node is enough, however many have to agree.',
    patches: [
      {
        file: 'src/chain/finality/quorum.ts',
        find: "if (same >= agree) return { kind: 'same' };",
        replace: "if (same >= 1) return { kind: 'same' };",
      },
    ],
    worlds: ['finality'],
    foundWithin: 2_000,
  },
  {
    name: 'no answer is final',
    about: 'An event is handled when no node could say whether it is final.',
    patches: [
      {
        file: 'src/receiver/finality-stage.ts',
        find: "if (verdict.status === 'pending') outcome = notFinal(verdict);",
        replace:
          "if (verdict.status === 'pending' && !verdict.error) outcome = notFinal(verdict);\n      else if (verdict.status === 'pending') outcome = undefined;",
      },
    ],
    worlds: ['finality'],
    foundWithin: 30,
  },
  {
    name: 'the cursor passes what waits',
    about: 'Reconciliation takes an event that is in progress or not final for one that took effect.',
    patches: [
      {
        file: 'src/chain/reconcile/run.ts',
        find: "return status === 'waiting' || status === 'failed';",
        replace: "return status === 'failed';",
      },
    ],
    worlds: ['reconcile'],
    foundWithin: 600,
  },
  {
    name: 'the cursor passes what fails',
    about: 'Reconciliation does not list an event whose handler failed.',
    patches: [
      {
        file: 'src/chain/reconcile/run.ts',
        find: 'for (const { key, position } of failed) retries.set(key, position);',
        replace: '',
      },
    ],
    worlds: ['reconcile'],
    foundWithin: 1000,
  },
  {
    name: 'the cursor moves before the batch',
    about: 'Reconciliation moves its cursor to the end of a chunk before it handles it.',
    patches: [
      {
        file: 'src/chain/reconcile/run.ts',
        find: '      await this.#feed(batch);\n      done',
        replace:
          '      progress.next = chunk.to + 1;\n      await this.#write(true);\n      await this.#feed(batch);\n      done',
      },
    ],
    worlds: ['reconcile'],
    foundWithin: 1000,
  },
  {
    name: 'two processes write the cursor',
    about: 'Reconciliation does not notice that another process has moved the cursor.',
    patches: [
      {
        file: 'src/chain/reconcile/progress.ts',
        find: "if (isOurs !== true) throw new Stop('superseded');",
        replace: '',
      },
    ],
    worlds: ['reconcile'],
    foundWithin: 400,
  },
];
