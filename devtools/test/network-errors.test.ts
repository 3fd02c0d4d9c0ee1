import { expect, it, onTestFinished } from 'vitest';
import { networkReason } from '../src/network-errors.js';
import { createSender } from '../src/service/send.js';
import { API_KEY, inProcess } from './cli/tool.js';
import { serve } from './servers.js';

/** An https URL of a server that does not speak TLS. */
const withoutTls = async () => `${await serve((_, response) => void response.end())}/hooks`.replace('http:', 'https:');

const body = new TextEncoder().encode('[]');
const WHY = 'the server does not speak TLS. Use http:// instead of https://?';

it.each([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'its certificate is self-signed. Add it to NODE_EXTRA_CA_CERTS'],
  ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'the TLS handshake failed'],
  ['EOTHER', 'the request failed'],
])('has words for %s', (code, words) => {
  expect(networkReason(code)).toBe(words);
});

it('is the reason of a delivery of the local service', async () => {
  const sender = createSender();
  onTestFinished(() => sender.close());
  const { signal } = new AbortController();
  const { reason } = await sender.send({ url: await withoutTls(), headers: [], body, timeoutMs: 5000, signal });
  expect(reason).toBe(WHY);
});

it('is the reason of a call to the service, without the words of OpenSSL', async () => {
  const env = { WEBHOOK_API_KEY: API_KEY, WEBHOOK_BASE_URL: await withoutTls() };
  const { code, stderr } = await inProcess(['webhooks', 'list'], { env });
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`no answer (${WHY})`) });
});
