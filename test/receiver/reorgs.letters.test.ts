import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../src/index.js';
import { following, hashOf, logOf } from './scripted-reorgs.js';

describe('an event whose reversal or application fails for good', () => {
  const deadLetters = { afterAttempts: 2, afterSeconds: 0 };

  it('becomes a dead letter that says which side is missing, and is left alone by passes', async () => {
    const { deliver, settle, chain, receiver, bad, calls } = following({ deadLetters, failing: ['-A10#0'] });
    await deliver(logOf('A'));
    chain.canonical.set(10, hashOf('B'));
    expect(await settle()).toMatchObject({ failed: 1 });
    expect(await settle()).toMatchObject({ failed: 0 });
    expect((await receiver.deadLetters.list()).letters).toMatchObject([{ isReversal: true, attempts: 2 }]);
    expect(await settle()).toMatchObject({ failed: 0, open: 0 });
    expect(await receiver.deadLetters.retry({})).toEqual({ handled: 0, failed: 1, skipped: 0 });
    expect((await receiver.deadLetters.list()).letters).toMatchObject([{ isReversal: true, attempts: 3 }]);
    bad.clear();
    expect(await receiver.deadLetters.retry({})).toEqual({ handled: 1, failed: 0, skipped: 0 });
    expect(calls).toEqual(['+A10#0 1', '-A10#0 1']);
    expect(await settle()).toMatchObject({ reverted: 0, open: 1 });
  });

  it('is retried in the direction that the chain demands by then', async () => {
    const { deliver, settle, chain, receiver, bad, calls } = following({ deadLetters, failing: ['-A10#0'] });
    await deliver(logOf('A'));
    chain.canonical.set(10, hashOf('B'));
    await settle();
    await settle();
    chain.canonical.set(10, hashOf('A'));
    bad.clear();
    expect(await receiver.deadLetters.retry({})).toEqual({ handled: 1, failed: 0, skipped: 0 });
    expect((await receiver.deadLetters.list()).letters).toEqual([]);
    expect(await settle()).toMatchObject({ applied: 0, reverted: 0, open: 1 });
    chain.canonical.set(10, hashOf('B'));
    expect(await settle()).toMatchObject({ reverted: 1 });
    expect(calls).toEqual(['+A10#0 1', '-A10#0 1']);
  });

  it('that was never applied is applied by a retry, or kept as reverted if its block is gone', async () => {
    const failing = ['+A10#0', '+B10#0'];
    const { deliver, settle, chain, receiver, bad, calls } = following({ deadLetters, failing });
    for (let tries = 0; tries < 2; tries++) await deliver(logOf('A'), logOf('B'));
    const { letters } = await receiver.deadLetters.list();
    expect(letters.map(({ isReversal }) => isReversal)).toEqual([undefined, undefined]);
    bad.clear();
    chain.canonical.set(10, hashOf('B'));
    expect(await receiver.deadLetters.retry({})).toEqual({ handled: 2, failed: 0, skipped: 0 });
    expect(calls).toEqual(['+B10#0 1']);
    chain.canonical.set(10, hashOf('A'));
    expect(await settle()).toMatchObject({ applied: 1, reverted: 1 });
    expect(calls).toEqual(['+B10#0 1', '-B10#0 1', '+A10#0 1']);
  });
});

describe('dead letters of two chains in one store', () => {
  it('are retried by the receivers of their chains only', async () => {
    const options = { store: memoryStore(), deadLetters: { afterAttempts: 1, afterSeconds: 0 } };
    const one = following({ ...options, failing: ['+A10#0', '+A11#0'] });
    const other = following({ ...options, chainId: 1 });
    await one.deliver(logOf('A'), logOf('A', { number: 11 }));
    other.chain.canonical.set(10, hashOf('B'));
    one.bad.clear();
    expect(await other.receiver.deadLetters.retry({})).toEqual({ handled: 0, failed: 2, skipped: 0 });
    expect(await one.receiver.deadLetters.retry({})).toEqual({ handled: 2, failed: 0, skipped: 0 });
    expect([one.calls, other.calls]).toEqual([['+A10#0 1', '+A11#0 1'], []]);
  });
});
