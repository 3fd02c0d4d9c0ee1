import { describe, expect, it } from 'vitest';
import type { Asked } from '../../../src/stores/redis/batches.js';
import { bySlot, slotOf } from '../../../src/stores/redis/slots.js';

// As CLUSTER KEYSLOT of Redis answers.
it.each([
  ['123456789', 12739],
  ['', 0],
  ['foo', 12182],
  ['{user1000}.following', slotOf('user1000')],
  ['foo{}{bar}', 8363],
  ['foo{{bar}}zap', slotOf('{bar')],
  ['foo{bar}{zap}', slotOf('bar')],
])('slotOf %j is %i', (key, slot) => {
  expect(slotOf(key)).toBe(slot);
});

describe('bySlot', () => {
  const asked = ['{a}1', '{b}1', '{a}2', '{c}1'].map((key): Asked => ({ key, own: [] }));
  const keysOf = (some: readonly Asked[]) => some.map(({ key }) => key);

  const never = () => Promise.reject(new Error('must not be called'));

  it('sends all keys at once to a server that takes them', async () => {
    expect(await bySlot(false)(asked, async (all) => all, never)).toEqual(asked);
  });

  it('sends the keys of each slot by themselves, once a server refused them together', async () => {
    const all: (readonly string[])[] = [];
    const some: (readonly string[])[] = [];
    const sendAll = async (each: readonly Asked[]) => {
      all.push(keysOf(each));
      throw new Error("CROSSSLOT Keys in request don't hash to the same slot");
    };
    const sendSome = async (each: readonly Asked[]) => {
      some.push(keysOf(each));
      return each.map(({ key }) => `answer of ${key}`);
    };
    const call = bySlot(false);
    const answers = asked.map(({ key }) => `answer of ${key}`);
    expect(await call(asked, sendAll, sendSome)).toEqual(answers);
    expect(await call(asked, sendAll, sendSome)).toEqual(answers);
    expect(all).toEqual([keysOf(asked)]);
    const split = [['{a}1', '{a}2'], ['{b}1'], ['{c}1']];
    expect(some).toEqual([...split, ...split]);
  });

  it('rejects with any other error, after all calls have settled', async () => {
    await expect(bySlot(false)(asked, () => Promise.reject(new Error('OOM')), never)).rejects.toThrow('OOM');
    let settled = 0;
    const send = async ([first]: readonly Asked[]) => {
      if (first?.key === '{a}1') throw new Error('down');
      await new Promise(setImmediate);
      settled++;
      return [first];
    };
    await expect(bySlot(true)(asked, never, send)).rejects.toThrow('down');
    expect(settled).toBe(2);
  });
});
