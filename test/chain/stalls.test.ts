import { padHex } from 'viem';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { nullRounds, REFUSALS } from './null-rounds.js';
import { Raw } from './scripted-node.js';
import { watchedNode } from './watching.js';

const on = watchedNode();
const { start, done, sent, mine } = on;

const hashOf = (number: number) => on.node.chain[number]?.block.hash;
const errors = () => on.recorder.lines.filter(({ level }) => level === 'error');
type Answer = Parameters<typeof on.node.answer>[0];

/** Waits until a stall was logged so often, then lets the node answer as it should. */
async function stalledFor(errorLines: number, answer: Answer): Promise<void> {
  mine(1, 2, 3);
  on.node.answer(answer);
  await start();
  await on.recorder.until(() => errors().length >= errorLines);
  on.node.answer((_, __, right) => right);
  await done(3);
  expect(sent()).toEqual(['1', '2', '3']);
  expect(on.recorder.lines.at(-1)).toMatchObject({ level: 'info', message: 'The node answers again.' });
}

describe('a block that stays null', () => {
  it('is named with the last block and what to do, once and then at growing intervals, and is never skipped', async () => {
    const isBlock2 = (method: string, params: readonly unknown[]) =>
      method === 'eth_getBlockByNumber' && params[0] === '0x2';
    await stalledFor(4, (method, params, answer) => (isBlock2(method, params) ? null : answer));
    expect(errors()[0]?.message).toBe(
      `The node does not have block 2 after block 1 (${hashOf(1)}), but has later ones. It lags, or has dropped the block. If this persists, use a node that keeps all blocks, or start at a later block with \`fromBlock\`. Retrying block 2 in 2 ms.`,
    );
    // Of 8 failures in a row.
    expect(errors().map(({ fields }) => fields.delayMs)).toEqual([2, 4, 16, 256]);
  });

  it('is named where it is the first one to process', async () => {
    mine(1, 2, 3);
    on.node.answer((method, params, answer) =>
      method === 'eth_getBlockByNumber' && params[0] !== '0x3' ? null : answer,
    );
    await start({ fromBlock: 1 });
    await on.recorder.until(() => errors().length > 0);
    expect(errors()[0]?.message).toMatch(/^The node does not have block 1, but has later ones\./);
    on.node.answer((_, __, answer) => answer);
    await done(3);
    expect(sent()).toEqual(['1', '2', '3']);
  });
});

it('a parent link that stays broken is named with the hashes and what to do, and nothing is passed on over it', async () => {
  const elsewhere = padHex('0xbad', { size: 32 });
  await stalledFor(3, (_, __, answer) => {
    const block = answer as { number?: unknown };
    return block?.number === '0x3' ? { ...block, parentHash: elsewhere } : answer;
  });
  expect(errors()[0]?.message).toBe(
    `Block 3 (${hashOf(3)}) has the parent ${elsewhere}, but block 2 is ${hashOf(2)}. The nodes behind the URL disagree. If this persists, use the URL of a single node, or of another provider. Retrying block 3 in 2 ms.`,
  );
});

describe.each(REFUSALS)('numbers without a block, for which the node returns %s', (_, refuse) => {
  it('are passed, one or many in a row', async () => {
    const gap = Array.from({ length: 20 }, (_, at) => at + 5);
    mine(1);
    on.node.mine();
    mine(3, 4);
    for (const _ of gap) on.node.mine();
    mine(25);
    nullRounds(on.node, [2, ...gap], refuse);
    await start();
    await done(25);
    expect(sent()).toEqual(['1', '3', '4', '25']);
  });

  it('are passed without a line as the chain grows', async () => {
    const numbers: number[] = [];
    nullRounds(on.node, numbers, refuse);
    await start();
    for (let number = 1; number <= 9; number += 2) {
      numbers.push(number);
      on.node.mine();
      mine(number + 1);
      await done(number + 1);
    }
    expect(sent()).toEqual(['2', '4', '6', '8', '10']);
    expect(errors()).toEqual([]);
  });

  it('are passed at the start', async () => {
    mine(1);
    on.node.mine();
    on.node.mine();
    mine(4);
    nullRounds(on.node, [2, 3], refuse);
    await start({ fromBlock: 2 });
    await done(4);
    expect(sent()).toEqual(['4']);
  });

  it('are followed when a re-org removes a block, and when one puts a block there', async () => {
    const numbers: number[] = [];
    mine(1, 2, 3);
    nullRounds(on.node, numbers, refuse);
    await start();
    await done(3);
    on.node.drop(2);
    numbers.push(2);
    on.node.mine();
    mine(13, 14);
    await done(4);
    expect(sent()).toEqual(['1', '2', '3', '-3', '-2', '13', '14']);
    on.node.drop(3);
    numbers.pop();
    mine(22, 23, 24, 25);
    await done(5);
    expect(sent().slice(7)).toEqual(['-14', '-13', '22', '23', '24', '25']);
    on.node.drop(1);
    numbers.push(6);
    mine(35);
    on.node.mine();
    mine(37);
    await done(7);
    expect(sent().slice(13)).toEqual(['-25', '35', '37']);
    expect(errors()).toEqual([]);
  });
});

describe('a pause that the node asks for', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Lets time pass until it holds, as the watcher polls. */
  async function until(holds: () => boolean): Promise<void> {
    for (; !holds(); await new Promise(setImmediate)) await vi.advanceTimersByTimeAsync(1);
  }
  const limit = (seconds: number) => on.node.answer(() => new Raw('', 429, { 'retry-after': String(seconds) }));

  async function keepsPause(ms: number): Promise<void> {
    while (errors().length === 0) await new Promise(setImmediate);
    const { length } = on.node.calls;
    on.node.answer((_, __, answer) => answer);
    // The first one may have passed.
    await vi.advanceTimersByTimeAsync(ms - 2);
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
    expect(on.node.calls).toHaveLength(length);
    await until(() => on.watcher?.blockNumber === on.node.chain.length - 1);
    expect(errors()).toMatchObject([
      {
        message: expect.stringMatching(`HTTP 429. Retrying block [01] in ${ms} ms.`),
        fields: { delayMs: ms, err: { reason: 'rate-limited', retryAfterMs: ms } },
      },
    ]);
  }

  it('is kept at the start, even if it is longer than the limit of a call', async () => {
    mine(1);
    limit(60);
    const starting = start();
    await keepsPause(60_000);
    await starting;
    expect(sent()).toEqual(['1']);
  });

  it('is kept later on, even if it is longer than the limit of a call', async () => {
    await start();
    await until(() => on.watcher?.blockNumber === 0);
    limit(20);
    mine(1);
    await vi.advanceTimersByTimeAsync(1);
    await keepsPause(20_000);
    expect(sent()).toEqual(['1']);
  });

  it('of more than an hour ends the start', async () => {
    limit(7200);
    await expect(start()).rejects.toMatchObject({ reason: 'rate-limited', retryAfterMs: 7_200_000 });
    expect(on.node.calls).toHaveLength(1);
  });
});
