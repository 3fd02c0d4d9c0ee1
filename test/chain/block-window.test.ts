import { padHex, toHex } from 'viem';
import { describe, expect, it } from 'vitest';
import { BlockWindow } from '../../src/chain/block-window.js';
import type { WebhookEvent } from '../../src/index.js';
import { sampleEventEmitted } from '../../src/testing/index.js';

const hash = padHex(toHex(1), { size: 32 });
const block = (number: number, events = 0) => {
  const groups: WebhookEvent[][] = events > 0 ? [Array(events).fill(sampleEventEmitted())] : [];
  return { number, hash, parentHash: hash, events: groups };
};

describe('the window of blocks', () => {
  it('keeps the last blocks, so many or so many events of them, and always one', () => {
    const window = new BlockWindow(3, 10);
    expect([window.first, window.last, window.at(0), window.isCut]).toEqual([undefined, undefined, undefined, false]);
    for (const number of [5, 6, 7]) window.push(block(number));
    expect([window.first?.number, window.at(6)?.number, window.isCut]).toEqual([5, 6, false]);
    window.push(block(8, 6));
    expect([window.first?.number, window.isCut]).toEqual([6, true]);
    window.push(block(9, 6));
    expect([window.first?.number, window.last?.number, window.at(8)]).toEqual([9, 9, undefined]);
    window.push(block(10, 99));
    expect([window.first?.number, window.last?.number]).toEqual([10, 10]);
  });

  it('forgets the events of a block that is taken off', () => {
    const window = new BlockWindow(3, 10);
    window.push(block(1, 5));
    window.push(block(2, 5));
    window.pop();
    window.push(block(2, 5));
    expect(window.first?.number).toBe(1);
    for (let times = 0; times < 3; times++) window.pop();
    expect(window.last).toBeUndefined();
  });
});
