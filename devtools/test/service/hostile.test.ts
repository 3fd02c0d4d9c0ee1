import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { event } from '../../../test/helpers.js';
import { closedUrl, talking } from '../servers.js';
import { listening, receiving } from './receivers.js';
import { serving } from './service.js';

/** The one attempt that a receiver gets. */
async function attemptAt(url: string, timeoutMs = 30_000) {
  const { service, changes } = await serving({ retries: { attempts: 1 }, timeoutMs });
  service.register({ label: 'mine', url });
  service.emit([event('a')]);
  await service.idle();
  const { attempts, state } = changes.at(-1) ?? { attempts: [] };
  return { state, ...attempts.at(-1) };
}

describe('a hostile receiver', () => {
  it('that never answers is abandoned after the timeout', async () => {
    const { url } = await talking(() => {});
    expect(await attemptAt(url, 50)).toMatchObject({
      state: 'given-up',
      code: 'ETIMEDOUT',
      reason: 'there was no response in time',
    });
  });

  it('that writes its response headers byte by byte is abandoned after the timeout', async () => {
    const { url } = await talking((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nX: ');
      const timer = setInterval(() => socket.write('x'), 5);
      socket.once('close', () => clearInterval(timer));
    });
    expect(await attemptAt(url, 100)).toMatchObject({ state: 'given-up', code: 'ETIMEDOUT' });
  });

  it('that writes its body byte by byte has answered, and is abandoned after the timeout', async () => {
    const { url, sockets } = await talking((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n');
      const timer = setInterval(() => socket.write('x'), 5);
      socket.once('close', () => clearInterval(timer));
    });
    expect(await attemptAt(url, 1000)).toMatchObject({ state: 'delivered', status: 200 });
    const gone = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve));
    await Promise.all([...sockets].filter(({ destroyed }) => !destroyed).map(gone));
  });

  it('that sends an endless body is read for a few kB only', async () => {
    let gone: Promise<unknown> | undefined;
    const { url } = await listening((_request, response) => {
      gone = once(response, 'close');
      response.writeHead(500);
      const chunk = Buffer.alloc(64 * 1024, 'x');
      const more = () => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', more);
      more();
    });
    expect(await attemptAt(url)).toMatchObject({ state: 'given-up', status: 500, response: { truncated: true } });
    await gone;
  });

  it.each([
    ['closes the connection', (socket: Socket) => socket.end(), 'ECONNRESET'],
    ['resets the connection', (socket: Socket) => socket.resetAndDestroy(), 'ECONNRESET'],
    ['talks no HTTP', (socket: Socket) => socket.end('SSH-2.0-OpenSSH\r\n'), /^HPE_/],
    [
      'sends endless headers',
      (socket: Socket) => socket.write(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(100_000)}`),
      /^HPE_/,
    ],
    ['ends within the head', (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nX:'), /^(HPE_|ECONNRESET)/],
    [
      'switches protocols',
      (socket: Socket) => socket.write('HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
      /./,
    ],
    ['answers with a status that is none', (socket: Socket) => socket.write('HTTP/1.1 999999 X\r\n\r\n'), /^HPE_/],
  ])('that %s has not answered', async (_title, talk, code) => {
    const { url } = await talking(talk);
    const attempt = await attemptAt(url);
    expect(attempt.state).toBe('given-up');
    expect(attempt.status).toBeUndefined();
    expect(attempt.code).toMatch(code);
    expect(attempt.reason).toMatch(/./);
  });

  it('that has answered and then breaks its answer off has answered', async () => {
    const { url } = await talking((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nx');
      socket.end();
    });
    expect(await attemptAt(url)).toMatchObject({ state: 'delivered', status: 200, code: undefined });
  });

  it.each([301, 302, 303, 307, 308, 304])('that redirects with %i is not followed', async (status) => {
    const elsewhere = await receiving();
    let requests = 0;
    const { url } = await listening((_request, response) => {
      requests++;
      response.writeHead(status, { Location: elsewhere.url }).end();
    });
    expect(await attemptAt(url)).toMatchObject({ state: 'given-up', status, code: 'REDIRECT' });
    expect([requests, elsewhere.handled, elsewhere.refused]).toEqual([1, [], []]);
  });

  it('that sends early hints a thousand times has not answered by that', async () => {
    const { url } = await talking((socket) => {
      for (let index = 0; index < 1000; index++) socket.write('HTTP/1.1 103 Early Hints\r\n\r\n');
      socket.write('HTTP/1.1 204 No Content\r\n\r\n');
    });
    expect(await attemptAt(url)).toMatchObject({ state: 'delivered', status: 204 });
  });

  it('that does not exist is reported by its code', async () => {
    expect(await attemptAt(await closedUrl())).toMatchObject({
      state: 'given-up',
      code: 'ECONNREFUSED',
      reason: 'connection refused: nothing is listening at this address',
    });
  });

  it('without TLS where TLS is asked for is a failed attempt', async () => {
    const { url } = await listening(() => {});
    expect(await attemptAt(url.replace('http:', 'https:'))).toMatchObject({
      ...{ state: 'given-up', reason: 'the server does not speak TLS. Use http:// instead of https://?' },
    });
  });

  it('delays no other webhook', async () => {
    const { service, changed } = await serving();
    const { url } = await talking(() => {});
    const receiver = await receiving();
    for (let index = 0; index < 20; index++) service.register({ label: `slow-${index}`, url });
    receiver.setSecret(service.register({ label: 'quick', url: receiver.url }).secret);
    service.emit([event('a')]);
    service.emit([event('b')]);
    await changed(({ label, id, state }) => label === 'quick' && Number(id) > 21 && state === 'delivered');
    expect(receiver.ids()).toEqual(['a', 'b']);
    // Closing does not wait for the slow ones either.
    await service.close();
  });
});
