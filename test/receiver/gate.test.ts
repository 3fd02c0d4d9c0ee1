import { describe, expect, it } from 'vitest';
import { createGate } from '../../src/receiver/gate.js';
import { deferred, noting } from '../helpers.js';

/** Whether `idle` has resolved when all that can happen now has happened. */
async function isIdle(gate: ReturnType<typeof createGate>): Promise<boolean> {
  let idle = false;
  void gate.idle().then(() => {
    idle = true;
  });
  await new Promise(setImmediate);
  return idle;
}

describe('a gate', () => {
  it('is idle without work', async () => {
    expect(await isIdle(createGate(1))).toBe(true);
  });

  it('is not idle while work is in flight or waited for, and tells when it is', async () => {
    const gate = createGate(9);
    const [held, waited] = [deferred(), deferred()];
    gate.enter();
    gate.enter();
    gate.hold(held.promise);
    gate.wait(waited.promise);
    let idle = false;
    const idling = gate.idle().then(() => {
      idle = true;
    });
    for (const end of [gate.leave, gate.leave, () => held.reject(new Error('no'))]) {
      end();
      await new Promise(setImmediate);
      expect([idle, await isIdle(gate)]).toEqual([false, false]);
    }
    expect(gate.size).toBe(1);
    waited.reject(new Error('no'));
    await idling;
    expect(gate.size).toBe(0);
    expect(await isIdle(gate)).toBe(true);
  });

  it('counts what is held as in flight, and not what is waited for', () => {
    const gate = createGate(1);
    gate.wait(deferred().promise);
    gate.enter();
    gate.leave();
    gate.hold(deferred().promise);
    expect(() => gate.enter()).toThrow(expect.objectContaining({ code: 'ERR_WEBHOOK_OVERLOADED' }));
  });

  it('is closed once it was closed', () => {
    const gate = createGate(1);
    expect(gate.isClosed).toBe(false);
    gate.check();
    gate.close();
    expect(gate.isClosed).toBe(true);
  });
});

describe('the options of drain', () => {
  it.each<[unknown, string]>([
    [{ timeout: 1 }, '`drain` has no option `timeout`. Did you mean `timeoutMs`?'],
    [5, '`drain` takes an options object, got a number.'],
    [{ timeoutMs: -1 }, '`timeoutMs` must be a number from 0 to 2147483647, got a number out of range.'],
  ])('cannot be %j', async (options, message) => {
    await expect(noting().receiver.drain(options as never)).rejects.toThrow(message);
  });
});
