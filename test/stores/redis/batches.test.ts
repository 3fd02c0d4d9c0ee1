import { describe, expect, it } from 'vitest';
import { inBatches, type Send } from '../../../src/stores/redis/batches.js';

/** A function that records what it sends, and answers with key and owner. */
function noted() {
  const sent: string[] = [];
  const send: Send = async (asked) => {
    const keys = asked.map(({ key }) => key);
    sent.push(keys.join());
    if (keys.includes('bad')) throw new Error('refused');
    return asked.map(({ key, own }) => `${key} of ${own}`);
  };
  const batch = inBatches(send);
  return { sent, call: (keys: string[], owner: string) => batch(keys.map((key) => ({ key, own: [owner] }))) };
}

describe('inBatches', () => {
  it('sends concurrent calls together, and gives each its own answers', async () => {
    const { sent, call } = noted();
    expect(await Promise.all([call(['a', 'b'], 'x'), call(['c'], 'y'), call(['a'], 'z')])).toEqual([
      ['a of x', 'b of x'],
      ['c of y'],
      ['a of z'],
    ]);
    expect(sent).toEqual(['a,b,c,a']);
  });

  it('sends a later call without waiting for the answer to an earlier one', async () => {
    const { sent, call } = noted();
    const first = call(['a'], 'x');
    await Promise.resolve();
    const second = call(['b'], 'y');
    await Promise.all([first, second]);
    expect(sent).toEqual(['a', 'b']);
  });

  it('sends at most 16 calls together, without waiting for an answer', async () => {
    const { sent, call } = noted();
    const keys = Array.from({ length: 40 }, (_, index) => String(index));
    const answers = await Promise.all(keys.map((key) => call([key], 'x')));
    expect(answers).toEqual(keys.map((key) => [`${key} of x`]));
    expect(sent.map((each) => each.split(',').length)).toEqual([16, 16, 8]);
  });

  it('rejects every call of a command that failed, and no later call', async () => {
    const { call } = noted();
    const outcomes = await Promise.allSettled([call(['a'], 'x'), call(['bad'], 'y')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await call(['a'], 'x')).toEqual(['a of x']);
  });
});
