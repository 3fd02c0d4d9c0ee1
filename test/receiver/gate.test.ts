import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createGate } from '../../src/receive/gate.js';
import { deferred, noting } from '../helpers.js';

const handlerTimeoutMs = 1000;

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
    expect(await isIdle(createGate(1, handlerTimeoutMs))).toBe(true);
  });

  it('is not idle while work is in flight or waited for, and tells when it is', async () => {
    const gate = createGate(9, handlerTimeoutMs);
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
    const gate = createGate(1, handlerTimeoutMs);
    gate.wait(deferred().promise);
    gate.enter();
    gate.leave();
    gate.hold(deferred().promise);
    expect(() => gate.enter()).toThrow(expect.objectContaining({ code: 'ERR_WEBHOOK_OVERLOADED' }));
  });

  it('is closed once it was closed', () => {
    const gate = createGate(1, handlerTimeoutMs);
    expect(gate.isClosed).toBe(false);
    gate.check();
    gate.close();
    expect(gate.isClosed).toBe(true);
  });
});

describe('a place that is held on a host with a time limit', () => {
  const overloaded = expect.objectContaining({ code: 'ERR_WEBHOOK_OVERLOADED' });

  /** A gate with one place, which is held, and the host's clock. */
  function held(clock: { isOver: boolean } | undefined) {
    const gate = createGate(1, handlerTimeoutMs);
    const work = deferred();
    gate.hold(work.promise, clock && { isOver: () => clock.isOver });
    return { gate, work };
  }

  it('is taken back by a full gate once the host’s time is over', () => {
    const clock = { isOver: false };
    const { gate } = held(clock);
    expect(() => gate.enter()).toThrow(overloaded);
    clock.isOver = true;
    gate.enter();
    expect(() => gate.enter()).toThrow(overloaded);
  });

  it.each(['resolve', 'reject'] as const)('is freed once if its work settles afterwards (%s)', async (end) => {
    const { gate, work } = held({ isOver: true });
    gate.enter();
    work[end](undefined);
    await new Promise(setImmediate);
    expect(() => gate.enter()).toThrow(overloaded);
    gate.leave();
    gate.enter();
    expect(() => gate.enter()).toThrow(overloaded);
  });

  it('is freed once if its work settles before', async () => {
    const { gate, work } = held({ isOver: true });
    work.resolve();
    await new Promise(setImmediate);
    expect(gate.size).toBe(0);
    gate.enter();
    expect(() => gate.enter()).toThrow(overloaded);
    expect(gate.size).toBe(1);
  });

  it('is taken back together with all others whose time is over, and with no other', () => {
    const gate = createGate(3, handlerTimeoutMs);
    for (const isOver of [true, false, true]) gate.hold(deferred().promise, { isOver: () => isOver });
    gate.enter();
    gate.enter();
    expect(() => gate.enter()).toThrow(overloaded);
  });

  it('is counted as in use on a channel until it is taken back or its work settles', async () => {
    const seen: number[] = [];
    const note = (message: unknown) => seen.push((message as { inFlight: number }).inFlight);
    subscribe('event-webhook-receiver:in-flight', note);
    onTestFinished(() => void unsubscribe('event-webhook-receiver:in-flight', note));
    const { gate, work } = held({ isOver: true });
    gate.enter();
    gate.leave();
    gate.hold(Promise.resolve());
    work.resolve();
    await new Promise(setImmediate);
    expect(seen).toEqual([1, 0, 1, 0, 1, 0]);
  });

  it('is not idle before its work settles: the host may have let it run', async () => {
    const { gate, work } = held({ isOver: true });
    gate.enter();
    expect(gate.size).toBe(2);
    gate.leave();
    expect(await isIdle(gate)).toBe(false);
    const idling = gate.idle();
    work.resolve();
    await idling;
    expect(gate.size).toBe(0);
  });

  it('is kept while there is a free one, and on a host without a limit', async () => {
    const roomy = createGate(2, handlerTimeoutMs);
    const isOver = vi.fn(() => true);
    roomy.hold(deferred().promise, { isOver });
    roomy.enter();
    expect(isOver).not.toHaveBeenCalled();
    const { gate, work } = held(undefined);
    expect(() => gate.enter()).toThrow(overloaded);
    work.resolve();
    await new Promise(setImmediate);
    gate.enter();
  });
});

describe('a place that is held for work that never settles', () => {
  const overloaded = expect.objectContaining({ code: 'ERR_WEBHOOK_OVERLOADED' });
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('comes back after twice the time limit of handlers', async () => {
    const gate = createGate(1, handlerTimeoutMs);
    gate.hold(new Promise(() => {}));
    await vi.advanceTimersByTimeAsync(2 * handlerTimeoutMs - 1);
    expect(() => gate.enter()).toThrow(overloaded);
    await vi.advanceTimersByTimeAsync(1);
    gate.enter();
    expect(() => gate.enter()).toThrow(overloaded);
  });

  it.each([
    [1000, 60_000],
    [40_000, 80_000],
  ])('is waited for until its work is given up: with a limit of %d ms, after %d ms', async (limitMs, givenUpMs) => {
    const gate = createGate(1, limitMs);
    gate.hold(new Promise(() => {}));
    const idle = vi.fn();
    void gate.idle().then(idle);
    await vi.advanceTimersByTimeAsync(givenUpMs - 1);
    expect([gate.size, idle.mock.calls.length]).toEqual([1, 0]);
    await vi.advanceTimersByTimeAsync(1);
    expect([gate.size, idle.mock.calls.length]).toEqual([0, 1]);
  });

  it.each([2 * handlerTimeoutMs, 70_000])('comes back once if its work settles after that: %d ms', async (ms) => {
    const gate = createGate(1, handlerTimeoutMs);
    const work = deferred();
    gate.hold(work.promise);
    await vi.advanceTimersByTimeAsync(ms);
    gate.enter();
    work.resolve();
    await vi.advanceTimersByTimeAsync(70_000);
    expect(gate.size).toBe(1);
    expect(() => gate.enter()).toThrow(overloaded);
  });

  it('comes back although no timer fires, when a delivery arrives', () => {
    const gate = createGate(1, handlerTimeoutMs);
    gate.hold(new Promise(() => {}), { isOver: () => false });
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 2 * handlerTimeoutMs);
    onTestFinished(() => void vi.restoreAllMocks());
    gate.enter();
    expect(() => gate.enter()).toThrow(overloaded);
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
