import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { deferred, event } from '../../../test/helpers.js';
import { listening, pair } from './receivers.js';
import { logging, serving } from './service.js';

it('the oldest of more pending deliveries than are kept for a webhook is given up, told and logged', async () => {
  const { logger, texts } = logging();
  const { url } = await listening(() => {});
  const { service, changed } = await serving({ logger });
  service.register({ label: 'mine', url });
  service.emit([event('a')]);
  service.emit(Array.from({ length: 10_000 }, (_, index) => ({ id: index })) as never, { unchecked: true });
  expect(await changed(({ state }) => state === 'given-up')).toMatchObject({ id: '1', label: 'mine' });
  expect(texts()).toContain('warn: delivery given up: too many deliveries are pending for its webhook');
});

describe('a service that is closed', () => {
  it('in the moment in which a delivery is to be sent sends nothing', async () => {
    let closed: Promise<void> | undefined;
    const { service, receiver } = await pair({
      onDelivery: () => {
        closed = service.close();
      },
    });
    service.emit([event('a')]);
    await service.idle();
    await closed;
    expect([receiver.ids(), receiver.refused]).toEqual([[], []]);
  });

  it('does not wait for a delivery that is held back, nor sends it', async () => {
    const { service, changes, receiver } = await pair();
    service.setFaults({ delayMs: 60_000 });
    service.emit([event('a')]);
    await service.close();
    expect([receiver.ids(), changes]).toEqual([[], []]);
  });
});

it('redeliver adds nothing to a delivery that is under way', async () => {
  const [asked, answered] = [deferred(), deferred()];
  let requests = 0;
  const { url } = await listening(async (request, response) => {
    requests++;
    request.resume();
    asked.resolve();
    await answered.promise;
    response.end();
  });
  const { service, changes } = await serving();
  service.register({ label: 'mine', url });
  service.emit([event('a')]);
  await asked.promise;
  expect(service.redeliver('1')).toBe(true);
  answered.resolve();
  await service.idle();
  expect(requests).toBe(1);
  expect(changes.at(-1)).toMatchObject({ state: 'delivered', attempts: [{ status: 200 }] });
});

it('emit refuses more than 64 MiB at once, and sends none of it', async () => {
  const { service, changes } = await serving();
  service.register({ label: 'mine', url: 'http://127.0.0.1:1/' });
  const large = Array(9).fill('x'.repeat(8 * 1024 * 1024 - 100));
  expect(() => service.emit(large, { unchecked: true })).toThrow('larger than 64 MiB');
  await service.idle();
  expect(changes).toEqual([]);
});

it('the API takes no body for whole that was broken off, and does not fail over it', async () => {
  const { logger, texts } = logging();
  const { service, call } = await serving({ logger });
  const { port, hostname, host } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  const head = [
    `POST /api/v0/webhooks HTTP/1.1\r\nHost: ${host}`,
    `Authorization: Bearer ${service.apiKeys[0]}`,
    'Content-Type: application/json',
    'Content-Length: 1000',
  ];
  const whole = JSON.stringify({ label: 'mine', url: 'http://127.0.0.1:1/' });
  await new Promise((resolve) => socket.write(`${head.join('\r\n')}\r\n\r\n${whole}`, resolve));
  // An answer to a later call: the one before it has been begun.
  expect(await call('GET', '/count')).toMatchObject({ result: 0 });
  socket.destroy();
  expect(await call('GET', '/count')).toMatchObject({ result: 0 });
  await service.close();
  expect([service.webhooks(), texts().filter((text) => text.startsWith('error'))]).toEqual([[], []]);
});
