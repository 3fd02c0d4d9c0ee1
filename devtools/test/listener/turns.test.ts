import { once } from 'node:events';
import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTurns, InTurns } from '../../src/listener/turns.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setImmediate'] }));
afterEach(() => void vi.useRealTimers());

/** Connections of which each slice costs some milliseconds, and whose turn it was, in order. */
function turns() {
  let time = 0;
  const order: string[] = [];
  const { join, wait } = createTurns(() => time);
  const connection = (name: string, ms: number, slices = 1) => {
    let left = slices;
    const made = {
      cost: 0,
      readSlice() {
        order.push(name);
        time += ms;
        if (--left > 0) wait(made);
      },
      charge(spent: number) {
        made.cost += spent;
      },
    } as unknown as InTurns;
    join(made);
  };
  return { order, connection, count: (name: string) => order.filter((each) => each === name).length };
}
const step = (count = 1) => {
  for (let at = 0; at < count; at++) vi.advanceTimersToNextTimer();
};

it('has connections that cost little read more often than those that cost much', () => {
  const { order, connection, count } = turns();
  for (const name of ['a', 'b', 'c']) connection(name, 2, 1000);
  connection('large', 0.1, 50);
  step(60);
  expect(count('large')).toBe(50);
  expect(order.length).toBe(60);
});

it('has a newcomer read as soon as each of the others has read once, however much others have read before', () => {
  const { order, connection } = turns();
  for (const name of ['a', 'b', 'c']) connection(name, 2, 1000);
  step(300);
  connection('newcomer', 0.1);
  step(4);
  expect(order.slice(300)).toContain('newcomer');
});

it('lets newcomers that never end keep nobody waiting', () => {
  const { connection, count } = turns();
  for (let at = 0; at < 10; at++) connection('stranger', 0.1);
  connection('large', 0.1, 20);
  for (let at = 0; at < 400; at++) {
    connection('stranger', 0.1);
    step();
  }
  expect(count('large')).toBeGreaterThan(15);
});

describe('a connection that is read in turns', () => {
  const opened = () => {
    const joined: InTurns[] = [];
    const waiting: InTurns[] = [];
    const socket = new PassThrough();
    const written: string[] = [];
    Object.assign(socket, {
      write: (chunk: Buffer, _encoding: string, done: () => void) => {
        written.push(String(chunk));
        done();
        return true;
      },
      end: (done: () => void) => done(),
    });
    const turns = { join: (each: InTurns) => void joined.push(each), wait: (each: InTurns) => void waiting.push(each) };
    const connection = new InTurns(socket as unknown as Socket, turns);
    return { connection, joined, waiting, socket, written };
  };
  const arrive = (socket: PassThrough, bytes: number) => socket.emit('data', Buffer.alloc(bytes));
  const read = (connection: InTurns) => {
    connection.readSlice();
    return Buffer.from(connection.read() ?? []).byteLength;
  };

  it('is read by smaller slices while they cost much, and by larger ones while they cost little', () => {
    const { connection, socket } = opened();
    arrive(socket, 100_000);
    const sizes = [read(connection)];
    for (const ms of [5, 5, 5, 5, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]) {
      connection.charge(ms);
      sizes.push(read(connection));
    }
    expect(sizes).toEqual([4096, 2048, 1024, 1024, 1024, 2048, 4096, 8192, 16_384, 16_384, 16_384]);
    expect(connection.cost).toBeCloseTo(20.6);
  });

  it('is not read while a request of its waits for an answer, and joins again when that was given', () => {
    const { connection, joined, waiting, socket } = opened();
    connection.hold();
    connection.hold();
    arrive(socket, 10_000);
    connection._read();
    expect([joined, waiting]).toEqual([[], []]);
    connection.release();
    expect(joined).toEqual([]);
    connection.release();
    expect(joined).toEqual([connection]);
    connection._read();
    expect(waiting).toEqual([connection]);
  });

  it('is destroyed with the error of its socket', () => {
    const { connection, socket } = opened();
    socket.emit('error', new Error('ECONNRESET'));
    expect(connection.destroyed).toBe(true);
  });

  it('is destroyed as soon as what was written is sent, or at once when nothing is left', async () => {
    const { connection, written } = opened();
    connection.write('an answer');
    connection.destroySoon();
    expect(connection.destroyed).toBe(false);
    await once(connection, 'close');
    expect(written).toEqual(['an answer']);

    const { connection: other } = opened();
    other.end();
    await once(other, 'finish');
    other.destroySoon();
    expect(other.destroyed).toBe(true);
  });
});
