import { once } from 'node:events';
import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTurns, InTurns } from '../../src/listener/turns.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setImmediate'] }));
afterEach(() => void vi.useRealTimers());

/** Connections with some slices to read, and whose turn it was, in order. */
function turns() {
  const order: string[] = [];
  const wait = createTurns();
  const connection = (name: string, slices = 1) => {
    let left = slices;
    const made = {
      readSlice() {
        order.push(name);
        if (--left > 0) wait(made);
      },
    } as unknown as InTurns;
    wait(made);
  };
  return { order, connection };
}
const step = (count = 1) => {
  for (let at = 0; at < count; at++) vi.advanceTimersToNextTimer();
};

it('reads one slice of each connection in turn, a newcomer after those that wait', () => {
  const { order, connection } = turns();
  for (const name of ['a', 'b']) connection(name, 100);
  step(4);
  connection('newcomer');
  step(4);
  expect(order.join(' ')).toBe('a b a b a b newcomer a');
  step(1000);
  expect(order).toHaveLength(201);
});

describe('a connection that is read in turns', () => {
  const opened = () => {
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
    const connection = new InTurns(socket as unknown as Socket, (each) => void waiting.push(each));
    return { connection, waiting, socket, written };
  };

  it('is read by slices to its end, and not while a request waits for an answer', async () => {
    const { connection, waiting, socket } = opened();
    connection.hold();
    connection.hold();
    socket.emit('data', Buffer.concat([Buffer.from('GET / HTTP/1.1\r\n\r\n'), Buffer.alloc(9000)]));
    connection._read();
    connection.release();
    expect(waiting).toEqual([]);
    connection.release();
    expect(waiting).toEqual([connection]);
    socket.emit('end');
    const sizes = [1, 2, 3].map(() => {
      connection.readSlice();
      return Buffer.from(connection.read() ?? []).byteLength;
    });
    expect(sizes).toEqual([18, 8192, 808]);
    expect(connection.readableEnded).toBe(false);
    vi.runAllTimers();
    connection.resume();
    await once(connection, 'end');
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
