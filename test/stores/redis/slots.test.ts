import { describe, expect, it } from 'vitest';
import { bySlot, slotOf } from '../../../src/stores/redis/slots.js';

describe('slotOf', () => {
  // As CLUSTER KEYSLOT of Redis answers.
  it.each([
    ['123456789', 12739],
    ['', 0],
    ['foo', 12182],
    ['{user1000}.following', slotOf('user1000')],
    ['foo{}{bar}', 8363],
    ['foo{{bar}}zap', slotOf('{bar')],
    ['foo{bar}{zap}', slotOf('bar')],
  ])('of %j is %i', (key, slot) => {
    expect(slotOf(key)).toBe(slot);
  });
});

describe('bySlot', () => {
  const keys = ['{a}1', '{b}1', '{a}2', '{c}1'];

  it('sends all keys at once to a server that takes them', async () => {
    const sent: string[][] = [];
    const send = async (each: string[]) => sent.push(each);
    await bySlot(false)(keys, send);
    expect(sent).toEqual([keys]);
  });

  it('sends the keys of each slot by themselves, once a server refused them together', async () => {
    const sent: string[][] = [];
    const send = async (each: string[]) => {
      sent.push(each);
      if (new Set(each.map(slotOf)).size > 1) throw new Error("CROSSSLOT Keys in request don't hash to the same slot");
      return each.join();
    };
    const call = bySlot(false);
    const split = [['{a}1', '{a}2'], ['{b}1'], ['{c}1']];
    expect(await call(keys, send)).toEqual(split.map(String));
    expect(sent).toEqual([keys, ...split]);
    sent.length = 0;
    await call(keys, send);
    expect(sent).toEqual(split);
  });

  it('rejects with any other error, after all calls have settled', async () => {
    await expect(bySlot(false)(keys, () => Promise.reject(new Error('OOM')))).rejects.toThrow('OOM');
    let settled = 0;
    const send = async ([first]: string[]) => {
      if (first === '{a}1') throw new Error('down');
      await new Promise(setImmediate);
      settled++;
    };
    await expect(bySlot(true)(keys, send)).rejects.toThrow('down');
    expect(settled).toBe(2);
  });
});
