import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { createConnection, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { sampleEventEmitted } from 'event-webhook-receiver/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { SECRET, signed } from '../listener/listening.js';
import { call, pageHeaders } from '../page/call.js';
import { serve } from '../servers.js';
import { startProcess, urlIn } from './running.js';
import { main } from './tool.js';

const env = { WEBHOOK_SECRET: SECRET };
const MIB = 1024 * 1024;
/** As much as a second and what a loaded machine adds to it. */
const SOON_MS = 2000;

const forged = (body: Uint8Array) => ({ ...signed(), body });
/** Calls again while the connection is closed without an answer, as a process without a free file closes it. */
const callUntilAccepted = (url: string, request: Parameters<typeof call>[1], between = () => {}) =>
  vi.waitFor(
    async () => {
      try {
        return await call(url, request);
      } catch (error) {
        between();
        throw error;
      }
    },
    { timeout: 15_000, interval: 500 },
  );

const HOSTILE = {
  'NUL after NUL': Buffer.from(`${'\0'.repeat(MIB)}x\0`),
  'combining marks': Buffer.from('e\u0301\u0323'.repeat(MIB / 5)),
  'deep nesting': Buffer.from('['.repeat(MIB)),
  'tiny objects': Buffer.from(`[${'{},'.repeat(99_000)}{}]`),
  'ten MiB': Buffer.alloc(10 * MIB, 'x'),
};

/** A connection on which a request never ends. */
function stall(url: string, bytes: string): Socket {
  const socket = createConnection(Number(new URL(url).port), '127.0.0.1', () => socket.write(bytes));
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** Sends bytes without end, on a new connection when the last one was closed, until the test is over. */
function stream(url: string, bytes: string): void {
  let isOver = false;
  let socket: Socket;
  const open = () => {
    if (isOver) return;
    socket = createConnection(Number(new URL(url).port), '127.0.0.1');
    const more = () => {
      if (socket.writable && socket.write(bytes)) setImmediate(more);
    };
    socket
      .on('connect', more)
      .on('drain', more)
      .on('error', () => {});
    socket.resume().on('close', () => setTimeout(open, 10));
  };
  open();
  onTestFinished(() => {
    isOver = true;
    socket.destroy();
  });
}

/** Sends a delivery again and again until the test is over. */
function repeat(url: string, body: Uint8Array): void {
  let isOver = false;
  onTestFinished(() => {
    isOver = true;
  });
  const next = () => {
    if (!isOver) void call(url, forged(body)).then(next, () => setTimeout(next, 10));
  };
  next();
}

/** What an open page receives. */
async function openStream(page: string) {
  const [address = '', token = ''] = page.split('#token=');
  const headers = pageHeaders(token);
  return { address, headers, stream: await fetch(`${address}api/stream`, { headers }) };
}

const target = (isAnswering: boolean) =>
  serve((request, response) => {
    request.resume();
    if (isAnswering) response.end();
  });

describe('listen under fire', { timeout: 60_000 }, () => {
  it.each([
    ['alone', []],
    ['with --forward', ['--forward']],
  ])('answers an authentic delivery soon, whatever strangers send, %s', async (_, flags) => {
    const args = flags.length > 0 ? ['--forward', await target(true)] : [];
    const listen = startProcess(['listen', '--port', '0', '--json', ...args], env);
    const { url, page } = JSON.parse(await listen.until(/./)).listening;
    const { stream } = await openStream(page);
    for (const body of Object.values(HOSTILE)) for (let count = 0; count < 2; count++) repeat(url, body);
    for (let count = 0; count < 50; count++) stall(url, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n[');
    const took: number[] = [];
    for (let count = 0; count < 30; count++) {
      const start = performance.now();
      expect((await call(url, signed())).status).toBe(200);
      took.push(performance.now() - start);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await stream.body?.cancel();
    expect(Math.max(...took)).toBeLessThan(SOON_MS);
  });

  it.each([
    [
      'of tiny chunks',
      `POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(100_000)}`,
    ],
    ['of requests that wait for no answer', 'GET / HTTP/1.1\r\nHost:\r\n\r\n'.repeat(20_000)],
  ])('answers an authentic delivery soon beside streams %s', async (_, bytes) => {
    const listen = startProcess(['listen', '--port', '0'], env);
    const url = urlIn(await listen.until(/^Listening/));
    for (let count = 0; count < 30; count++) stream(url, bytes);
    for (let count = 0; count < 10; count++) {
      const start = performance.now();
      expect((await call(url, signed())).status).toBe(200);
      expect(performance.now() - start).toBeLessThan(SOON_MS);
    }
    const start = performance.now();
    expect(await listen.end('SIGTERM')).toBe(143);
    expect(performance.now() - start).toBeLessThan(SOON_MS);
  });

  it('answers a large authentic delivery beside large forgeries, and such as were only begun', async () => {
    const listen = startProcess(['listen', '--port', '0'], env);
    const url = urlIn(await listen.until(/^Listening/));
    const large = signed([sampleEventEmitted({ data: { event: { name: 'x'.repeat(5 * MIB) } } })]);
    for (let count = 0; count < 8; count++) repeat(url, Buffer.alloc(MIB, 'x'));
    for (let count = 0; count < 400; count++)
      stall(url, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4000000\r\n\r\n[');
    const start = performance.now();
    const { status } = await call(url, large);
    expect(status).toBe(200);
    expect(performance.now() - start).toBeLessThan(10_000);
  });

  it('answers beside more connections that say nothing than it keeps', async () => {
    const listen = startProcess(['listen', '--port', '0'], env);
    const url = urlIn(await listen.until(/^Listening/));
    for (let count = 0; count < 600; count++) stall(url, 'POST / HTTP/1.1\r\nHost: x\r\n');
    expect((await call(url, signed())).status).toBe(200);
    expect((await call(url, signed())).status).toBe(200);
  });
});

if (process.platform === 'linux')
  it('listen survives that no file can be opened', { timeout: 60_000 }, async () => {
    const args = [main, 'listen', '--port', '0', '--json'];
    const child = spawn('sh', ['-c', 'ulimit -n 40; exec "$0" "$@"', process.execPath, ...args], {
      env: { PATH: process.env.PATH ?? '', ...env },
      stdio: ['ignore', 'pipe', 'ignore'],
      // A separate process group, so that a failure does not end this one.
      detached: true,
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const { url } = JSON.parse((await lines.next()).value).listening;
    // Room for the connection of a delivery, and not for the pipe of a process. The process may open a file meanwhile, so
    // one more connection ends at each refusal.
    const held: Socket[] = [];
    for (let left = 40 - (await readdir(`/proc/${child.pid}/fd`)).length - 2; left > 0; left--)
      held.push(stall(url, 'POST'));
    const makeRoom = () => void held.pop()?.destroy();
    expect((await callUntilAccepted(url, forged(Buffer.from('[]')), makeRoom)).status).toBe(403);
    const { delivery } = JSON.parse((await lines.next()).value);
    expect(delivery.findings).toEqual([expect.objectContaining({ cause: 'not-explained' })]);
    expect((await callUntilAccepted(url, signed(), makeRoom)).status).toBe(200);
  });

describe('SIGTERM ends within a second', { timeout: 60_000 }, () => {
  const end = async (child: { end(signal: NodeJS.Signals): Promise<number | null> }) => {
    const start = performance.now();
    expect(await child.end('SIGTERM')).toBe(143);
    expect(performance.now() - start).toBeLessThan(SOON_MS);
  };

  it('listen, with senders that are slow, a target that does not answer and a page that is open', async () => {
    const listen = startProcess(['listen', '--port', '0', '--json', '--forward', await target(false)], env);
    const { url, page } = JSON.parse(await listen.until(/./)).listening;
    const { stream } = await openStream(page);
    stall(url, 'POST / HTTP/1.1\r\n');
    stall(url, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n[');
    const { body, ...sent } = signed();
    httpRequest(url, sent)
      .on('error', () => {})
      .end(body);
    await call(url, forged(HOSTILE['ten MiB']));
    await listen.until(/"refused"/);
    await end(listen);
    await stream.text().catch(() => {});
  });

  it.each(Object.entries(HOSTILE))('listen, while it explains %s', async (_, body) => {
    const listen = startProcess(['listen', '--port', '0'], env);
    const url = urlIn(await listen.until(/^Listening/));
    await Promise.all(Array.from({ length: 8 }, () => call(url, forged(body))));
    await end(listen);
  });

  it('listen, when nobody reads what it prints', async () => {
    const child = spawn(process.execPath, [main, 'listen', '--port', '0', '--json'], {
      env: { PATH: process.env.PATH ?? '', ...env },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [line] = await once(createInterface({ input: child.stdout }), 'line');
    child.stdout.pause();
    const { url } = JSON.parse(line).listening;
    const event = (at: number) => sampleEventEmitted({ data: { event: { name: `${at}${'x'.repeat(200)}` } } });
    const big = signed(Array.from({ length: 20 }, (_, at) => event(at)));
    for (let count = 0; count < 200; count++) await call(url, big);
    const closed = once(child, 'exit');
    const ending = (signal: NodeJS.Signals) => {
      child.kill(signal);
      return closed.then(([code]) => code);
    };
    await end({ end: ending });
  });

  it('emulate, with a receiver that does not answer and a page that is open', async () => {
    const emulate = startProcess(['emulate', '--port', '0', '--register', `shop=${await target(false)}`]);
    const url = urlIn(await emulate.until(/^API/));
    const { stream, address, headers } = await openStream((await emulate.until(/^Page/)).replace('Page: ', ''));
    expect((await call(`${address}api/sample`, { method: 'POST', headers, body: '{}' })).status).toBe(200);
    stall(url, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{');
    await end(emulate);
    await stream.text().catch(() => {});
  });

  it('explain, while it explains', async () => {
    const head = `X-Service-Signature: ${'0'.repeat(64)}\nX-Service-Timestamp: 1700000000\n\n`;
    const child = spawn(process.execPath, [main, 'explain'], { env: { PATH: process.env.PATH ?? '', ...env } });
    onTestFinished(() => void child.kill('SIGKILL'));
    const closed = once(child, 'exit');
    child.stdin.on('error', () => {}).end(Buffer.concat([Buffer.from(head), HOSTILE['NUL after NUL']]));
    await once(child.stdin, 'finish');
    child.kill('SIGTERM');
    const start = performance.now();
    expect([0, 1, 143]).toContain((await closed)[0]);
    expect(performance.now() - start).toBeLessThan(SOON_MS);
  });
});
