import { encodeAbiParameters } from 'viem';
import { describe, expect, it, vi } from 'vitest';
import { app, SECRET, signed } from '../listener/listening.js';
import { call } from '../page/call.js';
import { limits, pageOf } from './emulated.js';
import { fakeNode, token, word } from './node.js';
import { urlIn, ways } from './running.js';

const env = { WEBHOOK_SECRET: SECRET };
const TKN = encodeAbiParameters([{ type: 'string' }], ['TKN']);

describe.each(ways)('the page of listen, $way', ({ start }) => {
  it('sends a delivery again and an edited one to the target, and shows tokens with their units', limits, async () => {
    const { target, got } = await app((_, response) => response.writeHead(202).end());
    const node = await fakeNode({ eth_chainId: () => '0x1', eth_call: token(TKN, word(18n)) });
    const rpc = `${node.url}/?key=private`;
    const listen = start(['listen', '--port', '0', '--forward', target.href, '--rpc', rpc], env);
    const url = urlIn(await listen.until(/^Listening/));
    const shown = target.href.replace('a=1', '…');
    expect(await listen.until(/^Forwarding/)).toBe(`Forwarding to ${shown}`);
    const page = await pageOf(listen);
    const { body, ...sent } = signed();
    expect((await call(url, { body, ...sent })).status).toBe(202);
    const [first] = (await page('GET', 'deliveries')).body.deliveries;
    expect(first).toMatchObject({ id: '1', status: 202, verdict: 'accepted' });
    expect((await page('POST', 'deliveries/1/resend')).status).toBe(200);
    await listen.until(/^#1 .* sent again, attempt 2/);

    const bodyBase64 = Buffer.from('[]').toString('base64');
    expect(await page('POST', 'deliveries/1/edit', { bodyBase64 })).toEqual({ status: 200, body: { id: '2' } });
    await vi.waitFor(() => expect(got.map((each) => each.body.toString())).toEqual([body, body, '[]']), 10_000);

    await vi.waitFor(async () => {
      const { deliveries } = (await page('GET', 'deliveries')).body;
      expect(deliveries[0].gist).toMatch(/^1 TKN · /);
    }, 10_000);
    const state = (await page('GET', 'state')).body;
    expect(state).toMatchObject({
      ...{ mode: 'listen', target: shown },
      can: { resend: true, send: true, sample: true, respond: true },
      chain: { rpcUrl: node.url, chainId: 1 },
    });
    expect(state.firstRun).toBeUndefined();
    expect(JSON.stringify(state)).not.toContain('private');
    await listen.end();
  });
});
