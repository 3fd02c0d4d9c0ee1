import { type Defect, planted } from './defect.js';

/** Mutations of `reorgs`. */
export const reorgsDefects: readonly Defect[] = [
  // A log whose block is not on the chain is acknowledged without a row, from which a pass could apply it later.
  planted('an orphaned delivery is not stored', ['reorgs'], 50, {
    'src/chain/reorgs/follow.ts': {
      'for (const outcome of await keep(items, { ...about, step })) {':
        "for (const outcome of [{ status: 'handled', item, idempotencyKey: key } as EventOutcome]) {\n      void [keep, step];",
    },
  }),
  // A pass takes the hash that it read before the height was final for the final one.
  planted('finality after the hash', ['reorgs'], 150, {
    'src/chain/reorgs/chain-reorgs.ts': {
      'const finals = await finality([...unique.values()]);':
        'const early = new Map();\n      for (const { blockNumber } of unique.values()) early.set(blockNumber, await hashAt(blockNumber));\n      const finals = await finality([...unique.values()]);',
      "verdicts.set(block.blockHash, { isCanonical: finding === 'same', isFinal: true });":
        'const is = (early.get(block.blockNumber) ?? block.blockHash) === block.blockHash;\n          verdicts.set(block.blockHash, { isCanonical: is, isFinal: true });',
    },
  }),
  // A pass decides by a hash that a delivery had read.
  planted('finality with a remembered hash', ['reorgs'], 400, {
    'src/chain/reorgs/chain-reorgs.ts': {
      "verdicts.set(block.blockHash, { isCanonical: finding === 'same', isFinal: true });":
        'const early = await recentHashAt(block.blockNumber);\n          const is = (early ?? block.blockHash) === block.blockHash;\n          verdicts.set(block.blockHash, { isCanonical: is, isFinal: true });',
    },
  }),
  // A row becomes final as it is, although its effect must still change.
  planted('final before it changes', ['reorgs'], 50, {
    'src/chain/reorgs/revise.ts': {
      '} else if (verdict?.isFinal) final.set': '}\n          if (verdict?.isFinal) final.set',
    },
  }),
  // A row becomes final in the state that it has by then, not in the one that the pass has read.
  planted('final at another version', ['reorgs'], 10_000, {
    'src/chain/reorgs/revise.ts': {
      'if (final.size > 0) await logs.settle(final);':
        'const now = new Map<string, number>();\n    for (const key of final.keys()) now.set(key, (await logs.read(key))?.transitions ?? 0);\n    if (final.size > 0) await logs.settle(now);',
    },
  }),
  // No answer counts as another block.
  planted('no answer reverts', ['reorgs'], 100, {
    'src/chain/reorgs/chain-reorgs.ts': { 'if (hash && !verdicts.has(blockHash))': 'if (!verdicts.has(blockHash))' },
  }),
  // A removal notice is handled like the log.
  planted('a removal notice is handled', ['reorgs'], 50, {
    'src/chain/reorgs/follow.ts': { 'if (place.isRemoval) {': 'if (!block) {' },
  }),
  // The chain is not part of the key.
  planted('chains share keys', ['reorgs'], 250, {
    'src/chain/reorgs/chain-reorgs.ts': {
      'logIdentity(event, { chainId })': 'logIdentity(event, { chainId: 1 })',
    },
  }),
  // A handler cannot tell its applications apart.
  planted('each application is the first', ['reorgs'], 100, {
    'src/chain/reorgs/revise.ts': { 'return Math.floor(transitions / 2) + 1;': 'return 1 + 0 * transitions;' },
  }),
  // A pass takes the state of a log for what it was before.
  planted('applied again without a reversal', ['reorgs'], 50, {
    'src/chain/reorgs/revise.ts': {
      'const isReversal = isApplied(block[0].transitions);': 'const isReversal = false;',
      "(['applied', 'reverted'] as const) : (['reverted', 'applied'] as const)":
        "(['reverted', 'applied'] as const) : ([isApplied(block[0].transitions) ? 'applied' : 'reverted', 'applied'] as const)",
    },
  }),
  // A pass reverts from the lowest block up.
  planted('reversals upward', ['reorgs'], 200, {
    'src/chain/reorgs/revise.ts': {
      '(isApplied(transitions) ? -blockNumber : Infinity)': '(isApplied(transitions) ? 0 : 1)',
    },
  }),
  // A pass reverts the first log of a block first.
  planted('reversals in the order of the logs', ['reorgs'], 200, {
    'src/chain/reorgs/revise.ts': {
      '(isReversal ? other.logIndex - one.logIndex : one.logIndex - other.logIndex)': '(one.logIndex - other.logIndex)',
    },
  }),
  // A dead letter of another chain is retried as one of this chain.
  planted('letters of another chain', ['reorgs-letters'], 200, {
    'src/chain/reorgs/revise.ts': { 'if (place && keyOf(': 'if (false && place && keyOf(' },
  }),
  // A dead letter says that the effect is missing where its reversal is, and the other way round.
  planted('letters of the other side', ['reorgs-letters'], 100, {
    'src/handle/dead-letter.ts': { '...(isApplied(transitions) &&': '...(!isApplied(transitions) &&' },
  }),
  // A drain does not wait for a pass.
  planted('drained over a pass', ['reorgs'], 4000, {
    'src/chain/reorgs/settling.ts': { 'this.receiver.gate.wait(this.#running);': '' },
  }),
];
