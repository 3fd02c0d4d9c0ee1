import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createTurns, type InTurns } from '../../src/workbench/turns.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setImmediate'] }));
afterEach(() => void vi.useRealTimers());

/** Connections of which each slice costs some milliseconds, and whose turn it was, in order. */
function turns() {
  let time = 0;
  const order: string[] = [];
  const { join, wait } = createTurns(() => time);
  const connection = (name: string, ms: number, slices = 1) => {
    let left = slices;
    const made = {
      cost: 0,
      readSlice() {
        order.push(name);
        time += ms;
        if (--left > 0) wait(made);
      },
      charge(spent: number) {
        made.cost += spent;
      },
    } as unknown as InTurns;
    join(made);
  };
  return { order, connection, count: (name: string) => order.filter((each) => each === name).length };
}
const step = (count = 1) => {
  for (let at = 0; at < count; at++) vi.advanceTimersToNextTimer();
};

it('has connections that cost little read more often than those that cost much', () => {
  const { order, connection, count } = turns();
  for (const name of ['a', 'b', 'c']) connection(name, 2, 1000);
  connection('large', 0.1, 50);
  step(60);
  expect(count('large')).toBe(50);
  expect(order.length).toBe(60);
});

it('has a newcomer read as soon as each of the others has read once, however much others have read before', () => {
  const { order, connection } = turns();
  for (const name of ['a', 'b', 'c']) connection(name, 2, 1000);
  step(300);
  connection('newcomer', 0.1);
  step(4);
  expect(order.slice(300)).toContain('newcomer');
});

it('lets newcomers that never end keep nobody waiting', () => {
  const { connection, count } = turns();
  for (let at = 0; at < 10; at++) connection('stranger', 0.1);
  connection('large', 0.1, 20);
  for (let at = 0; at < 400; at++) {
    connection('stranger', 0.1);
    step();
  }
  expect(count('large')).toBeGreaterThan(15);
});
