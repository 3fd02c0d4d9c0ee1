import { describe, expect, it, vi } from 'vitest';
import { WebhookError } from '../../src/index.js';
import { type BodyReader, type BodySource, incomplete, readBody } from '../../src/receive/request.js';

type Drop = Parameters<Parameters<BodyReader>[0]['arrival']['onDrop']>[0];

const dropped = new WebhookError('ERR_WEBHOOK_OVERLOADED', 'dropped');
const bytes = (...given: number[]) => Uint8Array.from(given);

/** Reads from a source, and gives what it counted and how to drop the delivery. */
function read(source: BodySource) {
  const counted: number[] = [];
  const drops: Drop[] = [];
  const arrival = {
    received: (count: number) => void counted.push(count),
    onDrop: (drop: Drop) => void drops.push(drop),
  };
  const body = readBody(source)({ maxBodyBytes: 10, arrival });
  body.catch(() => {});
  return { body, counted, drop: () => drops.at(-1)?.(dropped) };
}

describe('a body that is read', () => {
  it('is joined, and counted chunk by chunk', async () => {
    const { body, counted } = read((add, finish) => {
      for (const chunk of [bytes(1, 2), Buffer.from([3])]) add(chunk);
      finish();
      return () => {};
    });
    expect(await body).toEqual(bytes(1, 2, 3));
    expect(counted).toEqual([2, 1]);
  });

  it.each([
    ['text', 'text'],
    ['numbers of two bytes', Uint16Array.of(1)],
    ['a DataView', new DataView(new ArrayBuffer(2))],
    ['what only looks like bytes', { BYTES_PER_ELEMENT: 1, byteLength: 1 }],
  ])('is refused when a chunk is %s', async (_title, chunk) => {
    const { body, counted } = read((add) => {
      add(chunk as never);
      return () => {};
    });
    await expect(body).rejects.toMatchObject({
      code: 'ERR_WEBHOOK_BODY_INCOMPLETE',
      message: 'The body did not arrive completely: its stream returned something other than bytes.',
    });
    expect(counted).toEqual([]);
  });

  it('counts and stops once when it is dropped, whatever its source does afterwards', async () => {
    let add: Parameters<BodySource>[0] = () => {};
    let finish: Parameters<BodySource>[1] = () => {};
    const stop = vi.fn();
    const { body, counted, drop } = read((...given) => {
      [add, finish] = given;
      return stop;
    });
    add(bytes(1));
    drop();
    for (const _ of [1, 2]) add(bytes(2));
    finish();
    finish(new Error('late'));
    await expect(body).rejects.toThrow('dropped');
    expect([counted, stop.mock.calls.length]).toEqual([[1], 1]);
  });

  it('is not begun when its delivery was dropped before', async () => {
    const source = vi.fn();
    const arrival = { received() {}, onDrop: (drop: Drop) => drop(dropped) };
    await expect(readBody(source)({ maxBodyBytes: 10, arrival })).rejects.toThrow('dropped');
    expect(source).not.toHaveBeenCalled();
  });

  it('that was cut off keeps why', () => {
    const cause = new Error('ECONNRESET');
    const error = { message: 'The body did not arrive completely: it ended early.', cause };
    expect(incomplete('it ended early', cause)).toMatchObject(error);
  });
});
