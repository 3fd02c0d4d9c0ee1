import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type ChainSourceOptions, chainFinality } from '../../../src/chain/index.js';
import { signed } from '../../helpers.js';
import { createNode, type ScriptedNode } from '../scripted-node.js';
import { transfer } from '../watching.js';
import { chainId, noting, readAll, run, sourceOf } from './reconciling.js';

/** Block n of the scripted chain is of this second and n. */
const GENESIS = 1_800_000_000;
const level = { confirmations: 11 };

let node: ScriptedNode;
let second: number;
beforeEach(() => {
  second = GENESIS - 3600;
  vi.spyOn(Date, 'now').mockImplementation(() => 1000 * second);
  node = createNode();
});
afterEach(() => void vi.restoreAllMocks());

it('reconcile leaves alone what a sender still delivers that was told to wait for finality', async () => {
  const finality = chainFinality({ rpcUrl: node.url, level, chainId, wait: 'redelivery' });
  const { receiver, handled } = noting({ finality });
  node.mine({ logs: [transfer(7)] });
  const { events } = await readAll(sourceOf(node).source);
  const deliver = () => receiver.handle(signed(events, { timestamp: second }));
  const reconciled = async () => (await run(node, receiver, { sourceOptions })).report;
  const sourceOptions: Partial<ChainSourceOptions> = { level, minAgeSeconds: undefined };

  second = GENESIS + 1;
  expect(await deliver()).toMatchObject({ status: 503, outcomes: [{ status: 'not-final' }] });
  for (let block = 2; block <= 60; block++) node.mine();
  // Final since block 11, and the sender has not tried again.
  second = GENESIS + 60;
  expect(await reconciled()).toMatchObject({ found: 0, repaired: 0, stopped: undefined });
  second = GENESIS + 11 + 1799;
  expect(await reconciled()).toMatchObject({ found: 0, repaired: 0, stopped: undefined });
  expect(await deliver()).toMatchObject({ status: 200 });
  second += 1;
  expect(await reconciled()).toMatchObject({ found: 1, present: 1, repaired: 0 });
  expect(handled).toEqual([7]);
});
