import { describe, expect, it } from 'vitest';
import type { BodyToSend } from '../../src/page/page-actions.js';
import { recordOf } from '../deliveries/records.js';
import { openPage } from './call.js';

const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('the actions of the page', () => {
  it('are listed in the state, so that the page offers no other', async () => {
    const off = { resend: false, send: false, sample: false, respond: false };
    const { api } = await openPage({ actions: {} });
    expect((await api('GET', 'state')).body.can).toEqual(off);
    const some = await openPage({ actions: { send: () => ({ id: '1' }), retry: () => undefined } });
    expect((await some.api('GET', 'state')).body.can).toEqual({ ...off, send: true });
  });

  it('get the bytes to send, and the delivery that was edited', async () => {
    const sent: BodyToSend[] = [];
    const { feed, api } = await openPage({
      actions: {
        send(body) {
          sent.push(body);
          return { id: '7' };
        },
      },
    });
    feed.put(recordOf('1'));
    const bodyBase64 = base64('[\u{1F600}]');
    expect(await api('POST', 'deliveries/1/edit', { bodyBase64 })).toEqual({ status: 200, body: { id: '7' } });
    expect(sent.map(({ rawBody }) => Buffer.from(rawBody).toString())).toEqual(['[\u{1F600}]']);
    expect(sent).toMatchObject([{ from: { id: '1' } }]);
    expect((await api('POST', 'deliveries/2/edit', { bodyBase64 })).status).toBe(404);
  });

  it.each([
    [{}, 400, 'bodyBase64 is not base64.'],
    [{ bodyBase64: 7 }, 400, 'bodyBase64 is not base64.'],
    [{ bodyBase64: 'W10' }, 400, 'bodyBase64 is not base64.'],
    [{ bodyBase64: 'W1*0=' }, 400, 'bodyBase64 is not base64.'],
    [{ bodyBase64: '' }, 400, 'The delivery has no body.'],
    [[], 400, 'The body is not a JSON object.'],
    [{ bodyBase64: base64('x'.repeat(10 * 1024 * 1024 + 1)) }, 413, 'The delivery is larger than 10 MiB.'],
  ])('are not called for a body that cannot be sent (%#)', async (body, status, message) => {
    const { api, feed } = await openPage({ actions: { send: () => Promise.reject(new Error('called')) } });
    feed.put(recordOf('1'));
    expect(await api('POST', 'deliveries/1/edit', body)).toEqual({ status, body: { status, message } });
  });
});
