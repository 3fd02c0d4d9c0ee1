import { once } from 'node:events';
import { createConnection } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { PageOptions } from '../../src/page/serve-page.js';
import { recordOf } from '../deliveries/records.js';
import { openPage } from './call.js';

type Event = { event: string; data: unknown };

async function open(options: Partial<PageOptions> = {}) {
  let target = 'first';
  const state = () => ({ mode: 'listen' as const, target });
  const page = await openPage({ state, ...options });

  /** Opens a stream and reads it as the page does. */
  async function stream() {
    const ending = new AbortController();
    onTestFinished(() => ending.abort());
    const response = await fetch(`${page.url}api/stream`, { headers: page.headers, signal: ending.signal });
    if (!response.ok || !response.body) return { status: response.status, ending };
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    /** The next event; a heartbeat counts as one without a name. */
    async function next(): Promise<Event> {
      for (;;) {
        const at = text.indexOf('\n');
        if (at >= 0) {
          const line = text.slice(0, at);
          text = text.slice(at + 1);
          return line === '' ? { event: '', data: null } : JSON.parse(line);
        }
        const { done, value } = await reader.read();
        if (done) throw new Error('The stream has ended.');
        text += value;
      }
    }
    return { status: response.status, next, ending };
  }
  const setTarget = (text: string) => {
    target = text;
    page.stateChanged();
  };
  return { ...page, stream, setTarget };
}

const ids = ({ data }: Event) => (data as { id: string }[]).map(({ id }) => id);

describe('the stream of the page', () => {
  it('begins with the state and then tells of deliveries that are new or changed, and of a changed state', async () => {
    const { feed, stream, setTarget } = await open();
    feed.put(recordOf('0'));
    const { next } = await stream();
    expect(await next?.()).toMatchObject({ event: 'state', data: { target: 'first' } });
    feed.put(recordOf('1', { attempt: { status: 403 } }));
    feed.put(recordOf('2'));
    feed.put(recordOf('1'));
    const event = (await next?.()) as Event;
    expect(event).toMatchObject({ event: 'deliveries', data: [{ verdict: 'accepted' }, {}] });
    expect(ids(event)).toEqual(['1', '2']);
    setTarget('second');
    expect(await next?.()).toMatchObject({ event: 'state', data: { target: 'second' } });
    feed.clear();
    expect(await next?.()).toMatchObject({ event: 'cleared' });
  });

  it('goes on for who comes again after the connection was lost, in several streams at once', async () => {
    const { feed, stream } = await open();
    const [first, other] = [await stream(), await stream()];
    await first.next?.();
    await other.next?.();
    first.ending.abort();
    feed.put(recordOf('1'));
    expect(ids((await other.next?.()) as Event)).toEqual(['1']);
    const again = await stream();
    expect(await again.next?.()).toMatchObject({ event: 'state' });
    feed.put(recordOf('2'));
    expect(ids((await again.next?.()) as Event)).toEqual(['2']);
  });

  it('gathers a flood into few events of at most 500', async () => {
    const { feed, stream } = await open();
    const { next } = await stream();
    await next?.();
    for (let id = 1; id <= 1_200; id++) feed.put(recordOf(String(id)));
    const got = [ids((await next?.()) as Event), ids((await next?.()) as Event), ids((await next?.()) as Event)];
    expect(got.map(({ length }) => length)).toEqual([500, 500, 200]);
    expect(got.flat()[0]).toBe('1');
    expect(got.flat().at(-1)).toBe('1200');
  });

  it('lets no more streams be open than it can feed, and takes another when one has ended', async () => {
    const { stream } = await open({ maxStreams: 2 });
    const [first, second] = [await stream(), await stream()];
    expect([first.status, second.status]).toEqual([200, 200]);
    expect((await stream()).status).toBe(503);
    first.ending.abort();
    // The server hears of it in its own time.
    let status = 503;
    while (status === 503) ({ status } = await stream());
    expect(status).toBe(200);
  });

  it('keeps little for a reader that does not read, and drops it, while others go on', {
    timeout: 60_000,
  }, async () => {
    const { feed, stream, url, token } = await open({ heartbeatMs: 50, flushMs: 1, maxStreams: 2 });
    const slow = createConnection(Number(new URL(url).port), '127.0.0.1');
    onTestFinished(() => void slow.destroy());
    slow.on('error', () => {});
    await once(slow, 'connect');
    slow.write(`GET /api/stream HTTP/1.1\r\nHost: ${new URL(url).host}\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    // The stream is open; from here on nobody reads it.
    await once(slow, 'readable');
    const { next } = await stream();
    await next?.();
    expect((await stream()).status).toBe(503);

    const record = recordOf('1', { target: 'x'.repeat(200), label: 'y'.repeat(200) });
    let status = 503;
    // More than the buffers of two sockets hold. There is room for a third stream once the slow one has been dropped.
    while (status === 503) {
      for (let id = 0; id < 500; id++) feed.put({ ...record, id: String(id) });
      await next?.();
      ({ status } = await stream());
    }
    expect(status).toBe(200);
    feed.put(recordOf('last'));
    let last: string | undefined;
    while (last !== 'last') {
      const event = (await next?.()) as Event;
      if (event.event === 'deliveries') last = ids(event).at(-1);
    }
    expect(last).toBe('last');
  });
});
