import fc from 'fast-check';
import { padHex } from 'viem';
import { describe, expect, it } from 'vitest';
import type { WatchChainOptions } from '../../src/chain/index.js';
import type { WebhookEvent } from '../../src/index.js';
import { Raw } from './scripted-node.js';
import { createRecorder, people, received, transfer, valuesOf, watch, watchedNode } from './watching.js';

const on = watchedNode();
const { done } = on;

const [wallet] = people;

async function start(options: Partial<WatchChainOptions> = {}): Promise<void> {
  on.watcher = await watch(on.recorder, { rpcUrl: on.node.url, wallets: [wallet], ...options });
}

/** Answers to one method are other ones, until the watcher has told of it so often. */
function spoil(method: string, how: (answer: never) => unknown, times = 2): void {
  on.node.answer((called, _, answer) => {
    const isSpoilt = called === method && on.recorder.lines.length < times;
    return isSpoilt ? how(structuredClone(answer) as never) : answer;
  });
}

type Fields = Record<string, unknown>;
const first = (list: unknown) => (list as Fields[])[0] as Fields;
const set = (key: string, value: unknown) => (answer: Fields) => ({ ...answer, [key]: value });
const setFirst = (key: string, value: unknown) => (list: Fields[]) => [{ ...list[0], [key]: value }, ...list.slice(1)];
const setOfTransactions = (key: string, value: unknown) => (block: { transactions: Fields[] }) => ({
  ...block,
  transactions: block.transactions.map((each) => ({ ...each, [key]: value })),
});
const hash = padHex('0xbad', { size: 32 });

const answers: [what: string, method: string, how: (answer: never) => unknown][] = [
  ['a head that is not a number', 'eth_blockNumber', () => 'latest'],
  ['a head that no number can hold', 'eth_blockNumber', () => `0x${'f'.repeat(60)}`],
  ['a block without a hash', 'eth_getBlockByNumber', set('hash', undefined)],
  ['a block with a time after the year 9999', 'eth_getBlockByNumber', set('timestamp', '0xffffffffffff')],
  ['a head that is null', 'eth_blockNumber', () => null],
  ['a block that is text', 'eth_getBlockByNumber', () => 'block'],
  ['a block without transactions', 'eth_getBlockByNumber', set('transactions', {})],
  ['transactions without senders', 'eth_getBlockByNumber', set('transactions', [{}])],
  ['logs that are null', 'eth_getLogs', () => null],
  ['a block with the hashes of its transactions', 'eth_getBlockByNumber', set('transactions', [hash])],
  ['logs that are not an array', 'eth_getLogs', () => ({})],
  ['logs of another block', 'eth_getLogs', setFirst('blockHash', hash)],
  ['logs of another transaction', 'eth_getLogs', setFirst('transactionHash', hash)],
  ['logs with too many topics', 'eth_getLogs', setFirst('topics', Array(5).fill(hash))],
  ['logs with topics that are not hashes', 'eth_getLogs', setFirst('topics', ['0x12'])],
  ['logs with an invalid address', 'eth_getLogs', setFirst('address', '0x12')],
  ['logs that were removed', 'eth_getLogs', setFirst('removed', true)],
  ['the same log twice', 'eth_getLogs', (list: Fields[]) => [...list, first(list)]],
  [
    'a log before those of earlier transactions',
    'eth_getLogs',
    (list: Fields[]) => [...list.map((log) => ({ ...log, logIndex: `0x${(9 - Number(log.logIndex)).toString(16)}` }))],
  ],
  ['no receipt', 'eth_getTransactionReceipt', () => null],
  ['a receipt of another transaction', 'eth_getTransactionReceipt', set('transactionHash', hash)],
  ['a receipt with an invalid status', 'eth_getTransactionReceipt', set('status', 'success')],
];

function mineOne(): void {
  on.node.mine({ from: wallet, logs: [transfer(1), transfer(2)] }, { logs: [transfer(3)] });
}
const EXPECTED = [['1', '2'], [], ['3']];

describe('a node that sends invalid answers', () => {
  it.each(answers)('is asked again, and its error is logged: %s', async (_, method, how) => {
    mineOne();
    spoil(method, how);
    await start();
    await done(1);
    expect(valuesOf(on.recorder.groups)).toEqual(EXPECTED);
    const [line, ...rest] = on.recorder.lines;
    expect(line).toMatchObject({ level: 'error', fields: { err: { code: 'ERR_WEBHOOK_RPC' } } });
    expect(line?.message).toContain('The node sent an invalid answer');
    expect(rest.at(-1)).toMatchObject({ level: 'info', message: 'The node answers again.' });
  });

  it.each([{}, [{ address: wallet }]])('loses an access list that is none, and no event: %j', async (accessList) => {
    mineOne();
    on.node.answer((method, _, answer) =>
      method === 'eth_getBlockByNumber' ? setOfTransactions('accessList', accessList)(answer as never) : answer,
    );
    await start();
    await done(1);
    expect(valuesOf(on.recorder.groups)).toEqual(EXPECTED);
  });

  it('is asked again after any error that it returns', async () => {
    mineOne();
    spoil('eth_getLogs', () => {
      throw new Error('limit exceeded');
    });
    await start();
    await done(1);
    expect(valuesOf(on.recorder.groups)).toEqual(EXPECTED);
    expect(on.recorder.lines[0]?.message).toBe(
      `eth_getLogs at ${on.node.origin} failed: the node returned an error: "limit exceeded" (-32000). Retrying block 0 in 2 ms.`,
    );
  });

  it('is asked again when it breaks off, or is busy', async () => {
    mineOne();
    spoil('eth_getBlockByNumber', () => new Raw('[1', 200));
    await start();
    await done(1);
    spoil('eth_blockNumber', () => new Raw('', 429), on.recorder.lines.length + 1);
    mineOne();
    await done(2);
    expect(valuesOf(on.recorder.groups)).toEqual([...EXPECTED, ...EXPECTED]);
  });

  it('may write quantities as JSON numbers', async () => {
    mineOne();
    await start();
    await done(1);
    const expected = on.recorder.groups.map(received);
    await on.watcher?.close();
    on.recorder = createRecorder();
    const isQuantity = (value: unknown) => typeof value === 'string' && /^0x(0|[1-9a-f][\da-f]{0,12})$/.test(value);
    on.node.answer((_, __, answer) =>
      JSON.parse(JSON.stringify(answer), (key, value) =>
        isQuantity(value) && key !== 'input' && key !== 'data' ? Number(value) : value,
      ),
    );
    await start();
    await done(1);
    expect(on.recorder.lines.filter(({ level }) => level === 'error')).toEqual([]);
    const withoutIds = (groups: WebhookEvent[][]) => groups.map((group) => group.map(({ id: _, ...event }) => event));
    expect(withoutIds(on.recorder.groups.map(received))).toEqual(withoutIds(expected));
  });

  it('never has an event sent that a receiver would not take, whatever one field of its answers is', async () => {
    mineOne();
    const hostile = fc.oneof(
      fc.constantFrom<unknown>(
        null,
        true,
        '',
        '0x',
        '0x0',
        -1,
        1e300,
        [],
        {},
        [[]],
        '__proto__',
        '0xfff',
        'x'.repeat(9999),
      ),
      fc.jsonValue(),
    );
    const methods = fc.constantFrom('eth_getBlockByNumber', 'eth_getLogs', 'eth_getTransactionReceipt');
    await fc.assert(
      fc.asyncProperty(methods, fc.nat(), fc.nat(), hostile, async (method, where, key, value) => {
        on.recorder = createRecorder();
        spoil(method, (answer: unknown) => spoilt(answer, where, key, value), 1);
        await start();
        await done(1);
        await on.watcher?.close();
        // What does not matter may be anything; what matters is refused, and asked for again.
        for (const group of on.recorder.groups) received(group);
        expect(valuesOf(on.recorder.groups)).toEqual(EXPECTED);
      }),
      { numRuns: 60 },
    );
  }, 60_000);
});

describe('a node', () => {
  it('without any block is an error at the start', async () => {
    on.node.answer((_, [number], answer) => (number === 'latest' ? null : answer));
    const watching = watch(on.recorder, { rpcUrl: on.node.url, fromBlock: 'latest' });
    await expect(watching).rejects.toMatchObject({ code: 'ERR_WEBHOOK_RPC' });
    await expect(watching).rejects.toThrow('the latest block is not a block');
  });

  it('that announces a block before it can return it is waited for, without a log line or a gap', async () => {
    for (let value = 1; value <= 3; value++) on.node.mine({ logs: [transfer(value)] });
    let refused = 0;
    on.node.answer((method, [number], answer) => {
      const isLate = method === 'eth_getBlockByNumber' && number === '0x2' && refused < 3;
      if (isLate) refused++;
      return isLate ? null : answer;
    });
    await start({ wallets: [] });
    await done(3);
    expect(refused).toBe(3);
    expect(valuesOf(on.recorder.groups)).toEqual([['1'], ['2'], ['3']]);
    expect(on.recorder.lines).toEqual([]);
  });
});

/** An answer with another value in one of its places. */
function spoilt(answer: unknown, where: number, key: number, value: unknown): unknown {
  const objects = [answer, ...(Array.isArray(answer) ? answer : Object.values(answer as object).flat())].filter(
    (each): each is Fields => typeof each === 'object' && each !== null,
  );
  const object = objects[where % objects.length] as Fields;
  const keys = Object.keys(object);
  // A log that is left out, or another amount, is a lie that nobody can see.
  const name = keys[key % keys.length] ?? '';
  if (!['topics', 'data', 'address', 'transactions'].includes(name) && !Array.isArray(object)) object[name] = value;
  return answer;
}
