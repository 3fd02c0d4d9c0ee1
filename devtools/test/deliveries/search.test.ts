import { sampleEventEmitted } from 'event-webhook-receiver/testing';
import { describe, expect, it } from 'vitest';
import { createFeed } from '../../src/deliveries/feed.js';
import type { KnownContract } from '../../src/deliveries/known-contracts.js';
import { createSearch } from '../../src/deliveries/search.js';
import { responseOf } from './answers.js';
import { recordOf } from './records.js';

const TOKEN = '0x5fbdb2315678afecb367f032d93f642f64180aa3';

function searching(known: Record<string, KnownContract> = {}) {
  const feed = createFeed();
  const search = createSearch({ feed, contracts: () => new Map(Object.entries(known)) });
  return { feed, search };
}
const bytes = (text: string) => new TextEncoder().encode(text);

describe('search', () => {
  it('finds a delivery by any of its texts, in any case', async () => {
    const { feed, search } = searching();
    const event = sampleEventEmitted({ id: 'event-1' });
    const attempt = {
      ...{ status: 418, code: 'ECODE', reason: 'No reason', fault: 'a fault' },
      response: responseOf('Mount the route', [['X-Answer', 'Yes']]),
    };
    feed.put(recordOf('1', { attempt, label: 'Shop', target: '/mine', events: [event] }));
    feed.put(recordOf('27', { attempt: { headers: [] }, rawBody: bytes('[]') }));
    const texts = [
      ...[
        'EVENT-1',
        'Transfer',
        TOKEN.toUpperCase(),
        'sampletoken',
        '#1',
        'shop',
        '/MINE',
        '418',
        'ecode',
        'no reason',
      ],
      ...['a fault', 'mount the', 'x-answer: yes', 'x-service-timestamp: 1700000000', '0xf39f → 0x7099'],
      'event.emitted',
      ...[String(event.data.transaction?.txHash), '"blocknumber":16'],
    ];
    for (const text of texts) expect([text, await search(text)]).toEqual([text, { ids: ['1'], complete: true }]);
    expect(await search('#27')).toEqual({ ids: ['27'], complete: true });
    expect(await search('nowhere')).toEqual({ ids: [], complete: true });
  });

  it('finds the amount of the list, in units of a known token', async () => {
    const { feed, search } = searching({ [TOKEN]: { decimals: 18, symbol: 'TKN' } });
    feed.put(recordOf('1', { events: [sampleEventEmitted()] }));
    for (const text of ['1 tkn', '1 TKN · 0xf39F']) expect((await search(text)).ids).toEqual(['1']);
    expect((await search('2 TKN')).ids).toEqual([]);
  });

  it('finds text that JSON writes with escapes, and text beyond ASCII', async () => {
    const { feed, search } = searching();
    feed.put(recordOf('1', { events: [sampleEventEmitted({ data: { event: { name: 'a<b>"c" Größe' } } })] }));
    feed.put(recordOf('2', { verified: false, rawBody: bytes('"GRÖSSE" "größe"') }));
    expect((await search('A<B>"C"')).ids).toEqual(['1']);
    expect((await search('GRÖßE')).ids).toEqual(['1', '2']);
  });

  it('searches the bytes of a body that was not verified, without reading it', async () => {
    const { feed, search } = searching();
    feed.put(recordOf('1', { verified: false, rawBody: bytes('not JSON, but NEEDLE') }));
    expect((await search('needle')).ids).toEqual(['1']);
    expect(feed.get('1')?.contents.events).toBe(0);
  });

  it('is not complete if a body is no longer kept', async () => {
    const { feed, search } = searching();
    feed.put(recordOf('1', { bodyDropped: true, rawBody: bytes(''), verified: false }));
    expect(await search('nowhere')).toEqual({ ids: [], complete: false });
    expect(await search('/webhooks')).toEqual({ ids: ['1'], complete: true });
  });

  it('yields to other work, and ends when the next search starts', async () => {
    const { feed, search } = searching();
    const rawBody = new Uint8Array(2 * 1024 * 1024);
    for (let id = 1; id <= 20; id++) feed.put(recordOf(String(id), { verified: false, rawBody }));
    const first = search('nowhere');
    await new Promise(setImmediate);
    const second = search('/webhooks');
    expect(await first).toEqual({ ids: [], complete: false });
    expect((await second).ids).toHaveLength(20);
  });
});
