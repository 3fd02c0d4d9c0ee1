import type { Hex } from 'viem';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LocalAnvil, startAnvil } from '../../../../examples/servers/anvil.js';
import { createRandom, type Random } from '../../../chaos/random.js';
import { hasAnvil, needsAnvil } from '../../../servers/anvil.js';
import { answerOf, NodeError } from './answer.js';
import { GENESIS_SECOND, type GivenLog, quantityOf, wordOf } from './block.js';
import { Chain } from './chain.js';

/** Anvil's `safe` block is so far below its head, and `finalized` twice as far. */
const EPOCH = 2;
const STEPS = 24;
const SEEDS = [1, 2, 3];

type Fields = Record<string, unknown>;
type Answer = { readonly result: unknown } | { readonly error: { readonly code: number; readonly message: string } };

let anvil: LocalAnvil;
let lastId = 0;
beforeEach(async () => {
  const options = ['--timestamp', String(GENESIS_SECOND), '--no-mining', '--slots-in-an-epoch', String(EPOCH)];
  anvil = await startAnvil(0, ...options);
});
afterEach(() => anvil?.stop());

async function ask(method: string, ...params: unknown[]): Promise<Answer> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: ++lastId, method, params });
  const response = await fetch(anvil.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const { result, error } = (await response.json()) as { result: unknown; error: never };
  return error ? { error } : { result };
}

async function call(method: string, ...params: unknown[]): Promise<unknown> {
  const answer = await ask(method, ...params);
  if ('error' in answer) throw new Error(`${method}: ${answer.error.message}`);
  return answer.result;
}

/** Code that emits logs where a contract is created, or fails. */
function creationCode(logs: readonly (readonly Hex[])[], fails: boolean): Hex {
  const emissions = logs.map((topics) => {
    const pushed = [...topics].reverse().map((topic) => `7f${topic.slice(2)}`);
    return `${pushed.join('')}60006000a${topics.length}`;
  });
  return `0x${emissions.join('')}${fails ? '60006000fd' : ''}`;
}

/** The same chain twice: on an anvil and in the model, with the hashes of both by the name of what they identify. */
class Twins {
  readonly chain = new Chain();
  readonly blocks = new Map<Hex, Hex>();
  readonly transactions = new Map<Hex, Hex>();
  #second = GENESIS_SECOND;

  constructor(
    private readonly random: Random,
    private readonly account: Hex,
    genesis: Hex,
  ) {
    this.#pair(genesis);
  }

  #pair(hash: Hex): void {
    this.blocks.set(hash, this.chain.blocks.at(-1)?.block.hash as Hex);
  }

  async mine(): Promise<void> {
    const { random } = this;
    const topics = () => Array.from({ length: random.int(0, 4) }, () => wordOf(random.int(1, 3)));
    for (let sent = random.int(0, 3); sent > 0; sent--) {
      const data = creationCode(Array.from({ length: random.int(0, 2) }, topics), random.chance(0.2));
      await call('eth_sendTransaction', { from: this.account, data, gas: '0x100000' });
    }
    this.#second += random.int(1, 20);
    await call('evm_setNextBlockTimestamp', this.#second);
    await call('evm_mine');
    const block = (await call('eth_getBlockByNumber', 'latest', true)) as { hash: Hex; transactions: Fields[] };
    const receipts = await Promise.all(
      block.transactions.map(async ({ hash }) => (await call('eth_getTransactionReceipt', hash)) as Fields),
    );
    const mined = this.chain.mine(
      block.transactions.map(({ from, input }, at) => {
        const { status, logs } = receipts[at] as { status: Hex; logs: GivenLog[] };
        const given = logs.map(({ address, topics, data }) => ({ address, topics, data }));
        return { from: from as Hex, to: null, input: input as Hex, failed: status === '0x0', logs: given };
      }),
      this.#second,
    );
    this.#pair(block.hash);
    for (const [at, { hash }] of block.transactions.entries()) {
      this.transactions.set(hash as Hex, mined.block.transactions[at]?.hash as Hex);
    }
  }

  async drop(depth: number): Promise<void> {
    await call('anvil_rollback', depth);
    this.chain.drop(depth);
  }

  /** The model's answer. */
  answer(method: string, params: readonly unknown[]): Answer {
    const { height } = this.chain;
    const [safe, finalized] = [Math.max(0, height - EPOCH), Math.max(0, height - 2 * EPOCH)];
    try {
      return { result: answerOf({ chain: this.chain.blocks, safe, finalized }, method, params) };
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      return { error: { code: error.code, message: error.message } };
    }
  }

  /** The value with anvil's hashes replaced by those of the model. */
  translated(value: unknown): unknown {
    if (typeof value === 'string') {
      return this.blocks.get(value as Hex) ?? this.transactions.get(value as Hex) ?? value;
    }
    if (Array.isArray(value)) return value.map((each) => this.translated(each));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, this.translated(each)]));
  }

  questions(): [string, ...unknown[]][] {
    const { random, blocks, transactions, chain } = this;
    const unknown = wordOf(0x123);
    const numbers = Array.from({ length: chain.height + 3 }, (_, number) => quantityOf(number));
    const addresses = chain.blocks.flatMap(({ logs }) => logs.map(({ address }) => address));
    const range = () => ({ fromBlock: random.pick(numbers), toBlock: random.pick([...numbers, 'latest']) });
    const filters = (): Fields[] => [{}, { address: [random.pick([...addresses, `0x${'11'.repeat(20)}`])] }];
    return [
      ['eth_chainId'],
      ['eth_blockNumber'],
      ...[...numbers, 'earliest', 'safe', 'finalized', 'latest'].flatMap((number): [string, ...unknown[]][] => [
        ['eth_getBlockByNumber', number, true],
        ['eth_getBlockByNumber', number, false],
      ]),
      ...[...blocks.keys(), unknown].flatMap((blockHash): [string, ...unknown[]][] => [
        ['eth_getBlockByHash', blockHash, false],
        ['eth_getBlockReceipts', blockHash],
        ...filters().map((filter): [string, unknown] => ['eth_getLogs', { ...filter, blockHash }]),
      ]),
      ...numbers.flatMap(() =>
        filters().map((filter): [string, unknown] => ['eth_getLogs', { ...filter, ...range() }]),
      ),
      ...[...transactions.keys(), unknown].map((hash): [string, Hex] => ['eth_getTransactionReceipt', hash]),
    ];
  }
}

/** Fields that the model makes up. */
const MADE_UP = ['nonce', 'gas', 'gasPrice', 'maxFeePerGas', 'maxPriorityFeePerGas', 'r', 's', 'v', 'yParity'];

/** What the model says, without what it makes up, against what the real node says. */
function expectSame(model: unknown, real: unknown, question: string): void {
  if (Array.isArray(model)) {
    expect(real, question).toHaveLength(model.length);
    for (const [at, each] of model.entries()) expectSame(each, (real as unknown[])[at], question);
  } else if (typeof model === 'object' && model !== null) {
    expect(real, question).toBeTypeOf('object');
    for (const [key, each] of Object.entries(model)) {
      if (!MADE_UP.includes(key)) expectSame(each, (real as Fields)[key], `${question} ${key}`);
    }
  } else expect(model, question).toEqual(real);
}

describe.skipIf(!hasAnvil)(`The chain model${needsAnvil}`, { timeout: 120_000 }, () => {
  it.each(SEEDS)('answers as a real node over growth and re-orgs, seed %i', async (seed) => {
    const random = createRandom(seed);
    const [account] = (await call('eth_accounts')) as [Hex];
    const { hash } = (await call('eth_getBlockByNumber', '0x0', false)) as { hash: Hex };
    const twins = new Twins(random, account, hash);
    // Block 0 of the model has the time that anvil was given, and no parent in both.
    let errors = 0;
    for (let step = 0; step < STEPS; step++) {
      const depth = random.int(1, 4);
      if (random.chance(0.3) && depth < twins.chain.height) await twins.drop(depth);
      else await twins.mine();
      for (const [method, ...params] of random.shuffle(twins.questions()).slice(0, 40)) {
        const real = twins.translated(await ask(method, ...params));
        const model = twins.answer(method, twins.translated(params) as unknown[]);
        if ('error' in model) errors++;
        expectSame(model, real, `${method} ${JSON.stringify(params)}`);
      }
    }
    expect(errors).toBeGreaterThan(0);
    expect(twins.blocks.size).toBeGreaterThan(twins.chain.height + 1);
  });
});
