import { once } from 'node:events';
import { type ClientHttp2Session, constants } from 'node:http2';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { OnEventOptions } from '../../src/receiver/options.js';
import { expectNothingUnhandled } from '../matrix/app.js';
import { genuine, genuineOfSize, headersOf, type SignedDelivery } from '../matrix/deliveries.js';
import { HOSTS, serve } from '../strangers/hosts.js';
import { session } from '../strangers/strangers.js';

describe.each(HOSTS.filter(({ name, http2 }) => http2 && !name.startsWith('fetchHandler')))('$name', (host) => {
  expectNothingUnhandled();

  async function start(options: Partial<OnEventOptions> = {}) {
    const served = await serve(host, options);
    onTestFinished(async () => void (await served.receiver.drain()));
    return { ...served, client: await session(served.port) };
  }

  function open(client: ClientHttp2Session, delivery: SignedDelivery, method = 'POST') {
    const headers = headersOf(delivery).map(([name, value]) => [name.toLowerCase(), value]);
    const stream = client.request({ ':method': method, ':path': '/webhooks', ...Object.fromEntries(headers) });
    // Sending on to a stream that the server has closed is an error of the client's.
    stream.on('error', () => {});
    return stream;
  }

  /** The answer to what is sent, which need not be all of it, once the server is done with the request. */
  async function answerTo(stream: ReturnType<typeof open>) {
    const closed = once(stream, 'close');
    const [headers] = await once(stream, 'response');
    const body = Buffer.concat(await stream.toArray()).toString();
    await closed;
    return { status: headers[':status'], allow: headers.allow, body, reset: stream.rstCode };
  }

  it('takes what is genuine and refuses what is not, with an empty body', async () => {
    const { client } = await start();
    const forged = { ...genuine(), signature: '0'.repeat(64) };
    const send = (delivery: SignedDelivery, method?: string) => {
      const stream = open(client, delivery, method);
      stream.end(delivery.body);
      return answerTo(stream);
    };
    expect(await send(genuine())).toMatchObject({ status: 200, body: '' });
    expect(await send(genuineOfSize(3_000_000))).toMatchObject({ status: 200 });
    expect(await send(forged)).toMatchObject({ status: 403, body: '' });
    expect(await send({ ...forged, signature: '' })).toMatchObject({ status: 403, body: '' });
    expect(await send(genuine(), 'PUT')).toMatchObject({ status: 405, allow: 'POST', body: '' });
  });

  it('answers before the body has come, ends that request and leaves the connection usable', async () => {
    const { client, refused } = await start({ receiveTimeoutMs: 30 });
    const noSignature = open(client, { ...genuine(), signature: '' });
    noSignature.write('[');
    expect(await answerTo(noSignature)).toMatchObject({ status: 403, reset: constants.NGHTTP2_NO_ERROR });
    const stalled = open(client, genuine());
    stalled.write('[');
    expect(await answerTo(stalled)).toMatchObject({ status: 503, reset: constants.NGHTTP2_NO_ERROR });
    const delivery = genuine();
    const whole = open(client, delivery);
    whole.end(delivery.body);
    expect(await answerTo(whole)).toMatchObject({ status: 200 });
    expect(refused.entries.map(({ code }) => code)).toEqual(['ERR_WEBHOOK_HEADER', 'ERR_WEBHOOK_BODY_INCOMPLETE']);
  });

  it('leaves out the connection header, which HTTP/2 has not, while the receiver drains', async () => {
    const warnings: Error[] = [];
    const warn = (warning: Error) => warnings.push(warning);
    process.on('warning', warn);
    onTestFinished(() => void process.off('warning', warn));
    const { client, receiver } = await start();
    await receiver.drain();
    const stream = open(client, genuine());
    stream.end(genuine().body);
    const [answer] = await once(stream, 'response');
    expect([answer[':status'], answer.connection]).toEqual([503, undefined]);
    await new Promise(setImmediate);
    expect(warnings).toEqual([]);
  });

  it('answers a sender of more than maxBodyBytes', async () => {
    const { client } = await start({ maxBodyBytes: 100_000 });
    const delivery = genuineOfSize(3_000_000);
    const stream = open(client, delivery);
    stream.end(delivery.body);
    expect(await answerTo(stream)).toMatchObject({ status: 413, body: '' });
  });

  it('survives a sender whose connection breaks half way, and one who resets the request', async () => {
    const { client, refused, requests } = await start({ maxInFlight: 1 });
    const reset = open(client, genuine());
    reset.write('[');
    await requests.reaches(1);
    reset.close(constants.NGHTTP2_CANCEL);
    await refused.reaches(1);
    const cut = open(client, genuine());
    cut.write('[');
    await requests.reaches(2);
    client.destroy();
    await refused.reaches(2);
    expect(refused.entries[1]?.code).toBe('ERR_WEBHOOK_BODY_INCOMPLETE');
  });
});
