import { sampleEventEmitted } from 'event-webhook-receiver/testing';
import { describe, expect, it } from 'vitest';
import type { Explainer } from '../../src/confined/explainer.js';
import { recordOf } from '../deliveries/records.js';
import { openPage } from './call.js';

describe('the events of a large delivery', () => {
  const events = Array.from({ length: 450 }, (_, n) => sampleEventEmitted({ data: { event: { name: `Event${n}` } } }));
  const namesOf = ({ items }: { items: { name: string }[] }) => items.map(({ name }) => name);

  it('come 200 at a time, from the one that is asked for', async () => {
    const { feed, api } = await openPage();
    feed.put(recordOf('1', { events }));
    const { body } = await api('GET', 'deliveries/1');
    expect([body.events, body.items.length]).toEqual([450, 200]);
    const next = await api('GET', 'deliveries/1/items?from=200');
    expect([namesOf(next.body).length, namesOf(next.body)[0]]).toEqual([200, 'Event200']);
    expect(namesOf((await api('GET', 'deliveries/1/items?from=400')).body).at(-1)).toBe('Event449');
    expect((await api('GET', 'deliveries/1/items?from=450')).body.items).toEqual([]);
  });

  it('are not there where the body is not, or where they cannot be decoded', async () => {
    const explainer = { close() {}, first: { explain: async () => [], view: async () => undefined } };
    const { feed, api } = await openPage({ explainer: explainer as unknown as Explainer });
    feed.put(recordOf('1', { events }));
    feed.put({ ...recordOf('2'), bodyDropped: true });
    expect(await api('GET', 'deliveries/1/items?from=200')).toMatchObject({ status: 503 });
    expect(await api('GET', 'deliveries/2/items?from=200')).toMatchObject({
      status: 409,
      body: { message: 'The body is no longer kept.' },
    });
    expect(await api('GET', 'deliveries/3/items?from=200')).toMatchObject({ status: 404 });
    for (const from of ['', '-1', '1e3', '9'.repeat(10)]) {
      expect(await api('GET', `deliveries/1/items?from=${from}`)).toMatchObject({ status: 400 });
    }
  });
});
