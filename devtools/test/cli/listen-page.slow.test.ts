import { createTestDelivery, sampleEventEmitted } from 'event-webhook-receiver/testing';
import { encodeAbiParameters } from 'viem';
import { describe, expect, it, vi } from 'vitest';
import { app } from '../listener/listening.js';
import { call } from '../page/call.js';
import { limits, pageOf } from './emulated.js';
import { fakeNode, token, word } from './node.js';
import { ways } from './running.js';
import { SECRET } from './tool.js';

const env = { WEBHOOK_SECRET: SECRET };
const TKN = encodeAbiParameters([{ type: 'string' }], ['TKN']);

describe.each(ways)('the page of listen, $way', ({ start }) => {
  it('sends an edited delivery to the target, and shows tokens with their units', limits, async () => {
    const { target, got } = await app();
    const node = await fakeNode({ eth_chainId: () => '0x1', eth_call: token(TKN, word(18n)) });
    const rpc = `${node.url}/?key=private`;
    const listen = start(['listen', '--port', '0', '--forward', target.href, '--rpc', rpc], env);
    const url = /http:\S+\//.exec(await listen.until(/^Listening/))?.[0] ?? '';
    const page = await pageOf(listen);
    const { rawBody: body, headers } = createTestDelivery([sampleEventEmitted()], { secret: SECRET });
    await call(url, { method: 'POST', body, headers });

    const bodyBase64 = Buffer.from('[]').toString('base64');
    expect(await page('POST', 'deliveries/1/edit', { bodyBase64 })).toEqual({ status: 200, body: { id: '2' } });
    await vi.waitFor(() => expect(got.map((each) => each.body.toString()).slice(1)).toEqual(['[]']), 10_000);

    await vi.waitFor(async () => {
      const { deliveries } = (await page('GET', 'deliveries')).body;
      expect(deliveries[0].gist).toMatch(/^1 TKN · /);
    }, 10_000);
    const state = (await page('GET', 'state')).body;
    expect(state).toMatchObject({
      can: { resend: true, send: true, sample: true, respond: true },
      chain: { rpcUrl: node.url, chainId: 1 },
    });
    expect(JSON.stringify(state)).not.toContain('private');
    await listen.end();
  });
});
