import { describe, expect, it } from 'vitest';
import { event } from '../../../test/helpers.js';
import type { Faults, LocalServiceOptions } from '../../src/service/index.js';
import { listening, pair } from './receivers.js';
import { serving } from './service.js';

/** A service with faults, and a receiver that knows its secret. */
async function faulty(faults: Partial<Faults>, options: LocalServiceOptions = {}) {
  const made = await pair(options);
  made.service.setFaults(faults);
  return made;
}

const last = <T>(list: readonly T[]) => list.at(-1) as T;

describe('a fault on request', () => {
  it('duplicate sends once more what was answered, which a receiver handles once', async () => {
    const { service, receiver, changes } = await faulty({ duplicate: true });
    service.emit([event('a')]);
    service.emit([event('b')]);
    await service.idle();
    const attempts = last(changes).attempts.map(({ status, fault }) => [status, fault]);
    expect(attempts).toEqual([
      [200, undefined],
      [200, 'sent again although it was accepted'],
    ]);
    expect(receiver.ids()).toEqual(['a', 'b']);
  });

  it('reorder swaps deliveries and what is in them', async () => {
    const { service, receiver, changes } = await faulty({ reorder: true });
    for (const [first, second] of ['ab', 'cd', 'ef', 'gh'] as unknown as [string, string][]) {
      service.emit([event(first), event(second)]);
    }
    await service.idle();
    expect(receiver.ids().join('')).toBe('dcbahgfe');
    const faults = changes.filter(({ state }) => state === 'delivered').map(({ attempts }) => last(attempts).fault);
    expect(faults.slice(0, 2)).toEqual(['sent before an earlier delivery', 'sent after a later delivery']);
  });

  it('delayMs holds a delivery back, and signs it when it is sent', async () => {
    let time = 1_700_000_000_000;
    const { service, changed, changes } = await faulty({ delayMs: 20 }, { now: () => time });
    service.emit([event('a')]);
    time += 20_000;
    await changed(({ attempts }) => attempts.length > 0);
    const [attempt] = changes[0]?.attempts ?? [];
    expect(attempt).toMatchObject({ at: time, fault: 'delayed by 20 ms' });
    expect(attempt?.headers).toContainEqual(['X-Service-Timestamp', '1700000020']);
  });

  it.each([
    ['wrongSignature', 'ERR_WEBHOOK_SIGNATURE', 'signed with a line break after the secret'],
    ['oldTimestamp', 'ERR_WEBHOOK_TIMESTAMP', 'timestamp 50 minutes old'],
    ['tamperedBody', 'ERR_WEBHOOK_SIGNATURE', 'one byte of the body changed after signing'],
  ])('%s is refused by a receiver with %s, and gets across once it is off', async (name, code, words) => {
    const { service, receiver, changed } = await faulty(
      { [name]: true },
      { retries: { attempts: 5, initialDelayMs: 60_000, maxDelayMs: 60_000 } },
    );
    service.emit([event('a')]);
    const refused = await changed(({ nextAttemptAt }) => nextAttemptAt !== undefined);
    expect(refused).toMatchObject({ state: 'pending', attempts: [{ status: 403, fault: words }] });
    expect(receiver.refused).toEqual([code]);
    service.setFaults({ [name]: false });
    service.redeliver(refused.id);
    await service.idle();
    expect(receiver.ids()).toEqual(['a']);
  });

  it('droppedConnection leaves the receiver with half of a body', async () => {
    const { service, receiver, changes } = await faulty({ droppedConnection: true }, { retries: { attempts: 1 } });
    service.emit([event('a')]);
    await service.idle();
    expect(last(changes)).toMatchObject({
      state: 'given-up',
      attempts: [{ code: 'DROPPED', fault: 'connection closed halfway' }],
    });
    expect(receiver.ids()).toEqual([]);
  });

  it.each(['wrongSignature', 'tamperedBody'])('%s is not delivered by a receiver that accepts all', async (name) => {
    const { service, changes } = await serving({ retries: { attempts: 1 } });
    const { url } = await listening((_request, response) => response.end());
    service.register({ label: 'mine', url });
    service.setFaults({ [name]: true });
    service.emit([event('a')]);
    await service.idle();
    expect(last(changes)).toMatchObject({ state: 'given-up', attempts: [{ status: 200, code: 'NOT_AUTHENTIC' }] });
    expect(last(last(changes).attempts).reason).toContain('does the receiver verify signatures?');
  });
});

describe('setFaults', () => {
  it.each([
    [{ late: true }, '`setFaults` has no option `late`. It has: duplicate, reorder, delayMs'],
    [{ delayMS: 1 }, '`setFaults` has no option `delayMS`. Did you mean `delayMs`?'],
    [{ duplicate: 1 }, '`duplicate` must be true or false, got a number'],
    [{ delayMs: -1 }, '`delayMs` must be a number'],
    [{ delayMs: '5' }, '`delayMs` must be a number from 0 to 600000, got a string'],
    [{ delayMs: 600_001 }, '`delayMs` must be a number'],
    [JSON.parse('{"__proto__":true}'), 'has no option `__proto__`'],
    [null, '`setFaults` must be an options object, got null'],
    [[], '`setFaults` must be an options object, got an array'],
  ])('refuses %j', async (faults, message) => {
    const { service } = await serving();
    expect(() => service.setFaults(faults as Partial<Faults>)).toThrow(message);
    expect(Object.values(service.faults).some(Boolean)).toBe(false);
  });

  it('changes the given faults only, and calls onChange', async () => {
    let changes = 0;
    const { service } = await serving({ onChange: () => changes++ });
    service.setFaults({ duplicate: true, delayMs: 5 });
    service.setFaults({ duplicate: false });
    expect(service.faults).toMatchObject({ duplicate: false, delayMs: 5, reorder: false });
    expect(changes).toBe(2);
  });
});
