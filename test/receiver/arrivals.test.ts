import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { BodyReader } from '../../src/receive/request.js';
import { deferred, noting, type Settings } from '../helpers.js';

type Arrival = Parameters<BodyReader>[0]['arrival'];

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const headers: Record<string, string> = { 'x-service-signature': '0'.repeat(64), 'x-service-timestamp': '1' };

/** A receiver, and forged deliveries that arrive until the test ends them. Notes which were dropped, in order. */
function start(limits: Settings = {}) {
  const { receiver } = noting({ maxBodyBytes: limits.maxArrivingBytes, ...limits });
  const dropped: number[] = [];
  const told: number[] = [];
  const begun: { arrival: Arrival; end: () => void; result: ReturnType<typeof receiver.handle> }[] = [];

  async function begin(bytes = 0, peer?: unknown): Promise<Arrival> {
    const id = begun.length;
    const body = deferred<Uint8Array>();
    const arriving = deferred<Arrival>();
    const result = receiver.handleRequest({
      method: 'POST',
      peer,
      header: (name) => headers[name],
      rawBody:
        () =>
        ({ arrival }) => {
          arrival.onDrop(() => void told.push(id));
          arriving.resolve(arrival);
          return body.promise;
        },
    });
    void result.then(({ status }) => status === 503 && dropped.push(id));
    const arrival = await arriving.promise;
    begun.push({ arrival, end: () => body.resolve(Uint8Array.of(91)), result });
    arrival.received(bytes);
    await turn();
    return arrival;
  }

  async function end(id: number): Promise<void> {
    begun[id]?.end();
    await turn();
  }

  return { begin, begun, dropped, told, end };
}

const said = (what: string, option: string) => ({
  status: 503,
  error: {
    code: 'ERR_WEBHOOK_OVERLOADED',
    message: `Dropped as the delivery that had been arriving longest: ${what} were arriving at once. Raise ${option} if the senders are yours.`,
  },
});

describe('deliveries that are arriving', () => {
  it('lose the one that has been arriving longest when there is one too many, and its reader is told', async () => {
    const { begin, begun, dropped, told } = start({ maxArriving: 2 });
    for (let count = 0; count < 5; count++) await begin();
    expect([dropped, told]).toEqual([
      [0, 1, 2],
      [0, 1, 2],
    ]);
    expect(await begun[0]?.result).toMatchObject(said('2 deliveries', 'maxArriving'));
  });

  it('lose as many as there are bytes too many, the oldest first', async () => {
    const { begin, begun, dropped } = start({ maxArrivingBytes: 10 });
    const first = await begin(4);
    await begin(0);
    await begin(6);
    expect(dropped).toEqual([]);
    await begin(5);
    // 4 + 0 + 6 + 5: without the first there are 11 still, without the second too.
    expect(dropped).toEqual([0, 1, 2]);
    expect(await begun[0]?.result).toMatchObject(said('10 bytes', 'maxArrivingBytes'));
    first.received(1_000_000);
    await turn();
    expect(dropped).toEqual([0, 1, 2]);
  });

  it('lose those of the peer that has most, while another is slow', async () => {
    for (const limits of [{ maxArriving: 4 }, { maxArrivingBytes: 20 }]) {
      const { begin, dropped, end } = start(limits);
      const [slow, flood] = [{}, {}];
      await begin(5, slow);
      for (let count = 0; count < 6; count++) await begin(5, flood);
      expect(dropped).toEqual([1, 2, 3]);
      // What has ended no longer counts for its peer.
      for (const id of [4, 5]) await end(id);
      await begin(5, slow);
      await begin(5, {});
      expect(dropped).toEqual([1, 2, 3]);
      await begin(5, {});
      expect(dropped).toEqual([1, 2, 3, 0]);
    }
  });

  // The formula of docs/security/strangers.md: maxArriving ÷ T is 500 a second.
  it.each([
    { what: 'keep an upload of 2 s beside 450 new connections a second that stall', perSecond: 450 },
    { what: 'lose an upload of 2 s beside 550 new connections a second that stall', perSecond: 550, isDropped: true },
    { what: 'keep an upload of 2 s beside 550 streams a second of one connection', perSecond: 550, shared: {} },
    { what: 'keep an upload of 2 s beside 2000 streams a second of one connection', perSecond: 2000, shared: {} },
  ])('$what', async ({ perSecond, shared, isDropped = false }) => {
    const { begin, begun, dropped, end } = start();
    const strangers = async (seconds: number) => {
      for (let count = 0; count < seconds * perSecond; count++) await begin(28, shared ?? {});
    };
    await strangers(2);
    const upload = begun.length;
    await begin(1, {});
    await strangers(2);
    await end(upload);
    expect(dropped.includes(upload)).toBe(isDropped);
    expect(await begun[upload]?.result).toMatchObject({ status: isDropped ? 503 : 403 });
  });

  it.each([Number.NaN, -5, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY])(
    'count %d bytes as none',
    async (bytes) => {
      const { begin, dropped } = start({ maxArrivingBytes: 10 });
      await begin(bytes);
      await begin(10);
      expect(dropped).toEqual([]);
      await begin(1);
      expect(dropped).toEqual([0, 1]);
    },
  );

  it('tell a listener that was set after the drop, and survive one that throws', async () => {
    const { begin, begun, dropped } = start({ maxArriving: 1 });
    const first = await begin();
    first.onDrop(() => {
      throw new Error('cannot stop');
    });
    await begin();
    expect(dropped).toEqual([0]);
    const late = vi.fn();
    begun[0]?.arrival.onDrop(late);
    expect(late).toHaveBeenCalledWith(expect.objectContaining({ code: 'ERR_WEBHOOK_OVERLOADED' }));
  });

  it('are dropped as a plain list drops them, whatever comes, ends and grows', async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('begin' as const), bytes: fc.integer({ min: 0, max: 12 }) }),
      fc.record({ kind: fc.constant('grow' as const), bytes: fc.integer({ min: 0, max: 6 }), which: fc.nat() }),
      fc.record({ kind: fc.constant('end' as const), which: fc.nat() }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const { begin, begun, dropped, end } = start({ maxArriving: 4, maxArrivingBytes: 20 });
        let model: { id: number; bytes: number }[] = [];
        const expected: number[] = [];
        for (const each of steps) {
          if (each.kind === 'begin') {
            model.push({ id: begun.length, bytes: each.bytes });
            if (model.length > 4) expected.push(model.shift()?.id ?? -1);
            await begin(each.bytes);
          } else if (begun.length > 0) {
            const id = each.which % begun.length;
            if (each.kind === 'end') {
              await end(id);
              model = model.filter((one) => one.id !== id);
            } else {
              begun[id]?.arrival.received(each.bytes);
              model = model.map((one) => (one.id === id ? { id, bytes: one.bytes + each.bytes } : one));
            }
          }
          // One that is too large alone makes no other go.
          const large = model.find(({ bytes }) => bytes > 20);
          if (large) {
            expected.push(large.id);
            model = model.filter((one) => one !== large);
          }
          while (model.reduce((sum, { bytes }) => sum + bytes, 0) > 20) expected.push(model.shift()?.id ?? -1);
          await turn();
          expect(dropped).toEqual(expected);
        }
      }),
      { seed: 3, numRuns: 60 },
    );
  });
});
