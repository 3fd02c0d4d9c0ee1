import { encodeFunctionData, getAddress, type Hex, padHex } from 'viem';
import { describe, expect, it, vi } from 'vitest';
import { parseEvent, type WebhookEvent } from '../../src/index.js';
import { people, token, tokenAbi, transfer, valuesOf, watch, watchedNode } from './watching.js';

const on = watchedNode();
const { start, done } = on;

describe('watchChain', () => {
  it('sends the logs of each transaction together, in the order of the chain', async () => {
    on.node.mine({ logs: [transfer(1), transfer(2)] }, {}, { logs: [transfer(3)] });
    for (let value = 4; value < 40; value++) on.node.mine({ logs: [transfer(value)] });
    await start();
    await done(37);
    const rest = Array.from({ length: 36 }, (_, at) => [String(at + 4)]);
    expect(valuesOf(on.recorder.groups)).toEqual([['1', '2'], ['3'], ...rest]);
    on.node.mine({ logs: [transfer(40)] });
    await done(38);
    expect(valuesOf(on.recorder.groups).at(-1)).toEqual(['40']);
    expect(on.recorder.lines).toEqual([]);
  });

  it('writes an event as the live service does, key by key', async () => {
    const [from, to] = people;
    const input = encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args: [to, 7n] });
    const { block, logs } = on.node.mine({ from, to: token.address, input, logs: [transfer(7)] });
    await start();
    await done(1);
    const contract = { address: token.address, addressLabel: 'token', name: 'Token', label: 'token' };
    const [{ hash } = { hash: '' }] = block.transactions;
    const [[event] = []] = on.recorder.groups;
    expect(event?.id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    const expected = {
      id: event?.id,
      event: 'event.emitted',
      data: {
        triggeredAt: '2027-01-15T08:00:01Z',
        event: {
          name: 'Transfer',
          signature: 'Transfer(address,address,uint256)',
          inputs: [
            { name: 'from', value: getAddress(from), hashed: false, type: 'address' },
            { name: 'to', value: getAddress(to), hashed: false, type: 'address' },
            { name: 'value', value: '7', hashed: false, type: 'uint256' },
          ],
          rawFields: JSON.stringify({
            ...{ address: logs[0]?.address, topics: logs[0]?.topics, data: logs[0]?.data, blockNumber: '0x1' },
            ...{ transactionHash: hash, transactionIndex: '0x0', blockHash: block.hash, logIndex: '0x0' },
            removed: false,
          }),
          contract,
          indexInLog: 0,
        },
        transaction: {
          from: getAddress(from),
          txData: input,
          txHash: hash,
          txIndexInBlock: 0,
          blockHash: block.hash,
          blockNumber: 1,
          contract,
          method: {
            name: 'transfer',
            signature: 'transfer(address,uint256)',
            inputs: [
              { name: 'to', value: getAddress(to), type: 'address' },
              { name: 'value', value: '7', type: 'uint256' },
            ],
          },
        },
      },
    };
    expect(JSON.stringify(event)).toBe(JSON.stringify(expected));
    expect(parseEvent(event)).toEqual(event);
  });

  it('leaves contract and method null where the called contract is unknown, or nothing is called', async () => {
    const logs = [transfer(1)];
    on.node.mine(
      { to: padHex('0x9', { size: 20 }), logs },
      { to: null, logs },
      { to: token.address, input: '0xa9', logs },
    );
    await start();
    await done(1);
    const transactions = on.recorder.groups.map(
      ([event]) => event?.event === 'event.emitted' && event.data.transaction,
    );
    const contract = expect.objectContaining({ address: token.address });
    expect(transactions).toMatchObject([
      { contract: null, method: null },
      { contract: null, method: null },
      { contract, method: null },
    ]);
  });

  it('passes on the transactions of wallets after their logs, with whether they failed', async () => {
    const [wallet, other] = people;
    on.node.mine({ from: other }, { from: wallet, logs: [transfer(1)] }, { from: wallet, failed: true });
    await start({ wallets: [getAddress(wallet)] });
    await done(1);
    const [logs, first, second] = on.recorder.groups;
    expect(on.recorder.groups).toHaveLength(3);
    expect(logs).toMatchObject([{ event: 'event.emitted' }]);
    const { block } = on.node.chain[1] as (typeof on.node.chain)[number];
    const { hash } = block.transactions[1] as { hash: Hex };
    expect(first).toEqual([
      {
        id: expect.any(String),
        event: 'transaction.included',
        data: {
          tx: {
            ...{ type: '0x2', chainId: '0x7a69', nonce: '0x1', to: padHex('0x', { size: 20 }), gas: '0x5208' },
            ...{ gasPrice: null, maxPriorityFeePerGas: '0x1', maxFeePerGas: '0x2', value: '0x0', input: '0x' },
            ...{ accessList: [], v: '0x0', r: '0x1', s: '0x2', yParity: '0x0', hash },
          },
          ...{ status: 'included', from: wallet, failed: false, blockNumber: 1, blockHash: block.hash },
          ...{ resubmissionAttempts: 0, successfulResubmissions: 0 },
          ...{ createdAt: '2027-01-15T08:00:01.000000Z', updatedAt: '2027-01-15T08:00:01.000000Z' },
        },
      },
    ]);
    expect(second).toMatchObject([{ data: { failed: true } }]);
  });

  it('writes a transaction of any kind with the fields that it has', async () => {
    const [wallet] = people;
    for (let kind = 0; kind < 3; kind++) on.node.mine({ from: wallet, to: null });
    const without = { maxFeePerGas: undefined, maxPriorityFeePerGas: undefined, yParity: undefined };
    const list = [{ address: wallet, storageKeys: [padHex('0x1', { size: 32 })] }];
    const kinds = [
      { ...without, type: undefined, chainId: undefined, accessList: undefined },
      { ...without, type: '0x1', gasPrice: undefined, accessList: list },
      { accessList: null, v: '0x001B' },
    ];
    on.node.answer((method, [number, isWhole], answer) => {
      // Of a block of before receipts told.
      if (method === 'eth_getTransactionReceipt') return { ...(answer as object), status: undefined };
      const kind = method === 'eth_getBlockByNumber' && isWhole ? kinds[Number(number) - 1] : undefined;
      const { transactions = [] } = (answer ?? {}) as { transactions?: object[] };
      return kind
        ? { ...(answer as object), transactions: transactions.map((each) => ({ ...each, ...kind })) }
        : answer;
    });
    await start({ contracts: [], wallets: [wallet] });
    await done(3);
    const [legacy, listed, priced] = on.recorder.groups.map(
      ([event]) => event?.event === 'transaction.included' && event.data,
    );
    const fees = { gasPrice: '0x1', maxFeePerGas: null, maxPriorityFeePerGas: null };
    expect(legacy).toMatchObject({ tx: { type: '0x0', to: null, ...fees } });
    expect(legacy).not.toHaveProperty('failed');
    expect(JSON.stringify(legacy)).not.toMatch(/accessList|yParity|chainId/);
    expect(listed).toMatchObject({ tx: { ...fees, gasPrice: null, accessList: list } });
    expect(priced).toMatchObject({ tx: { gasPrice: null, maxFeePerGas: '0x2', v: '0x1b' } });
    expect(on.node.calls.map(({ method }) => method)).not.toContain('eth_getLogs');
  });

  it('continues if its logger fails, and logs to the console without one', async () => {
    const told: string[] = [];
    const spies = (['debug', 'info', 'warn', 'error'] as const).map((level) =>
      vi.spyOn(console, level).mockImplementation((message) => void told.push(`${level} ${message}`)),
    );
    const fail = () => {
      throw new Error('the disk is full');
    };
    for (const logger of [undefined, { debug: fail, info: fail, warn: fail, error: fail }]) {
      const { length } = on.node.chain;
      on.node.mine({ logs: [{ ...transfer(1), data: '0x' }] });
      let failures = 2;
      on.node.answer((_, [__, isWhole], answer) => {
        if (isWhole && failures-- > 0) throw new Error('busy');
        return answer;
      });
      on.watcher = await watch(on.recorder, { rpcUrl: on.node.url, logger });
      await done(length);
      await on.watcher.close();
    }
    for (const spy of spies) spy.mockRestore();
    expect(told.every((line) => /^error eth_getBlockByNumber .*busy|^warn A log of token/.test(line))).toBe(true);
    expect(told.at(-1)).toMatch(/^warn A log of token matches no event/);
  });

  it('starts with the next mined block by default', async () => {
    on.node.mine({ logs: [transfer(1)] });
    await start({ fromBlock: 'latest' });
    expect(on.watcher).toMatchObject({ chainId: 31337, blockNumber: 1 });
    on.node.mine({ logs: [transfer(2)] });
    await done(2);
    expect(valuesOf(on.recorder.groups)).toEqual([['2']]);
  });

  it('waits for onEvents before it sends more or counts a block as done', async () => {
    on.node.mine({ logs: [transfer(1)] }, { logs: [transfer(2)] });
    const taking: (() => void)[] = [];
    const onEvents = (events: readonly WebhookEvent[]) => {
      on.recorder.onEvents(events);
      return new Promise<void>((resolve) => taking.push(resolve));
    };
    await start({ onEvents });
    await on.recorder.until(() => taking.length === 1);
    // Whatever it could do meanwhile, the node would see.
    const calls = on.node.calls.length;
    on.node.mine({ logs: [transfer(3)] });
    await new Promise(setImmediate);
    expect(on.node.calls.length).toBe(calls);
    expect([on.watcher?.blockNumber, valuesOf(on.recorder.groups)]).toEqual([0, [['1']]]);
    taking[0]?.();
    await on.recorder.until(() => taking.length === 2);
    expect(on.watcher?.blockNumber).toBe(0);
    taking[1]?.();
    await on.recorder.until(() => taking.length === 3);
    expect([on.watcher?.blockNumber, valuesOf(on.recorder.groups)]).toEqual([1, [['1'], ['2'], ['3']]]);
    taking[2]?.();
  });

  it('gives onEvents the same events again when it fails', async () => {
    on.node.mine({ logs: [transfer(1), transfer(2)] });
    let failures = 3;
    const onEvents = async (events: readonly WebhookEvent[]) => {
      on.recorder.onEvents(structuredClone(events));
      // What it does to them is its own affair.
      for (const event of events) event.id = '';
      if (failures-- > 1) throw new Error('the database is away');
      if (failures === 0) throw 'the database is away';
    };
    await start({ onEvents });
    await done(1);
    expect(on.recorder.groups).toHaveLength(4);
    expect(new Set(on.recorder.groups.map((group) => JSON.stringify(group))).size).toBe(1);
    expect(on.recorder.lines.map(({ level }) => level)).toEqual(['error', 'error', 'error']);
  });

  it('warns once of logs that match no event of the ABI, and continues', async () => {
    const other = { ...transfer(1), topics: [padHex('0xff', { size: 32 })] };
    const short = { ...transfer(1), data: '0x12' } as const;
    const bare = { ...transfer(1), topics: [] };
    for (let at = 0; at < 3; at++) on.node.mine({ logs: [other, transfer(at), short, bare] });
    await start();
    await done(3);
    expect(valuesOf(on.recorder.groups)).toEqual([['0'], ['1'], ['2']]);
    expect(on.recorder.lines.map(({ level, fields: { topic } }) => [level, topic])).toEqual([
      ['warn', other.topics[0]],
      ['warn', transfer(1).topics[0]],
      ['warn', 'none'],
    ]);
  });

  it('ends while the node lets it wait', async () => {
    await start();
    await done(0);
    on.node.answer(() => undefined);
    const { length } = on.node.calls;
    await on.recorder.until(() => on.node.calls.length > length);
    await on.watcher?.close();
    expect(on.recorder.lines).toEqual([]);
  });
});
