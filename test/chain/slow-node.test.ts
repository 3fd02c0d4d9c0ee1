import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChainWatcher } from '../../src/chain/index.js';
import { deferred } from '../helpers.js';
import { Raw, type ScriptedNode, startNode } from './scripted-node.js';
import { createRecorder, type Recorder, token, transfer, valuesOf, watch } from './watching.js';

let node: ScriptedNode;
let recorder: Recorder;
let watcher: ChainWatcher | undefined;

beforeEach(async () => {
  node = await startNode();
  recorder = createRecorder();
});
afterEach(async () => {
  await watcher?.close();
  await node.stop();
});

const done = (number: number) => recorder.until(() => watcher?.blockNumber === number);

describe('a node', () => {
  it('without any block is an error at the start', async () => {
    node.answer((_, [number], answer) => (number === 'latest' ? null : answer));
    const watching = watch(recorder, { rpcUrl: node.url, fromBlock: 'latest' });
    await expect(watching).rejects.toMatchObject({ code: 'ERR_WEBHOOK_RPC' });
    await expect(watching).rejects.toThrow('the latest block is not a block');
  });

  it('that announces a block before it can return it is waited for, without a log line or a gap', async () => {
    for (let value = 1; value <= 3; value++) node.mine({ logs: [transfer(value)] });
    let refused = 0;
    node.answer((method, [number], answer) => {
      const isLate = method === 'eth_getBlockByNumber' && number === '0x2' && refused < 3;
      if (isLate) refused++;
      return isLate ? null : answer;
    });
    watcher = await watch(recorder, { rpcUrl: node.url });
    await done(3);
    expect(refused).toBe(3);
    expect(valuesOf(recorder.groups)).toEqual([['1'], ['2'], ['3']]);
    expect(recorder.lines).toEqual([]);
  });

  it('that answers with nothing is asked again, and the error is logged', async () => {
    node.mine({ logs: [transfer(1)] });
    node.answer((method, _, answer) =>
      method === 'eth_blockNumber' && recorder.lines.length === 0 ? new Raw('', 204) : answer,
    );
    watcher = await watch(recorder, { rpcUrl: node.url });
    await done(1);
    expect(recorder.lines[0]).toMatchObject({ level: 'error', fields: { err: { code: 'ERR_WEBHOOK_RPC' } } });
    expect(valuesOf(recorder.groups)).toEqual([['1']]);
  });
});

describe('watchChain', () => {
  it('warns once of a log without topics that matches no event, and continues', async () => {
    const anonymous = { ...transfer(1), topics: [] };
    node.mine({ logs: [anonymous, transfer(2), anonymous] });
    watcher = await watch(recorder, { rpcUrl: node.url });
    await done(1);
    expect(valuesOf(recorder.groups)).toEqual([['2']]);
    expect(recorder.lines).toMatchObject([
      { level: 'warn', fields: { contract: token.address, topic: 'none', topics: 0, logIndex: 0 } },
    ]);
  });

  it('that is closed while onEvents runs does not wait to call it again', async () => {
    node.mine({ logs: [transfer(1)] });
    const [given, failing] = [deferred(), deferred()];
    let calls = 0;
    watcher = await watch(recorder, {
      rpcUrl: node.url,
      // Half a minute would go by before they come again.
      pollIntervalMs: 30_000,
      async onEvents() {
        calls++;
        given.resolve();
        await failing.promise;
        throw new Error('mine');
      },
    });
    await given.promise;
    const closed = watcher.close();
    failing.resolve();
    await closed;
    expect([calls, watcher.blockNumber]).toEqual([1, 0]);
  });
});
