import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ScriptedNode, startNode } from '../scripted-node.js';
import { transfer } from '../watching.js';
import { amountOf, readAll, sourceOf } from './reconciling.js';

type Logs = { readonly blockNumber: string }[];

let node: ScriptedNode;
beforeEach(async () => {
  node = await startNode();
  for (let value = 1; value <= 9; value += 3) {
    node.mine({ logs: [transfer(value), transfer(value + 1), transfer(value + 2)] });
  }
});
afterEach(() => node.stop());

const all = [1, 2, 3, 4, 5, 6, 7, 8, 9];

describe('a node that leaves out logs of a block of which it returns others', () => {
  it.each<[string, (logs: Logs) => Logs]>([
    ['any block', (logs) => logs.filter((_, index) => index !== 4)],
    ['each block', (logs) => logs.filter((_, index) => index % 3 !== 1)],
    ['the first block, as it returns the newest first', (logs) => logs.reverse().slice(0, 7)],
    ['some blocks, as it returns them in no order', (logs) => [logs[8], logs[0], logs[4], logs[1]] as Logs],
    ['one block, and repeats others', (logs) => [...logs.slice(0, 4), ...logs.slice(5), ...logs.slice(5)]],
  ])('of %s is asked for these by hash', async (_, how) => {
    node.answer((method, params, answer) => {
      const isRange = method === 'eth_getLogs' && (params[0] as { fromBlock?: string }).fromBlock !== undefined;
      return isRange ? how(structuredClone(answer) as Logs) : answer;
    });
    const { source } = sourceOf(node);
    expect((await readAll(source)).events.map(amountOf)).toEqual(all);
  });
});
