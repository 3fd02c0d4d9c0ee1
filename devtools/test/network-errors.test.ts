import { expect, it } from 'vitest';
import { networkReason } from '../src/network-errors.js';
import { API_KEY, inProcess } from './cli/tool.js';
import { serve } from './servers.js';

it.each([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'its certificate is self-signed. Add it to NODE_EXTRA_CA_CERTS'],
  ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'the TLS handshake failed'],
  ['EOTHER', 'the request failed'],
])('has words for %s', (code, words) => {
  expect(networkReason(code)).toBe(words);
});

it('is the reason of a call to the service, without the words of OpenSSL', async () => {
  const url = await serve((_, response) => void response.end());
  const env = { WEBHOOK_API_KEY: API_KEY, WEBHOOK_BASE_URL: url.replace('http:', 'https:') };
  const { code, stderr } = await inProcess(['webhooks', 'list'], { env });
  expect([code, stderr]).toEqual([2, expect.stringContaining('no answer (the server does not speak TLS. Use http://')]);
});
