import { describe, expect, it } from 'vitest';
import { forward } from '../../src/listener/forward.js';
import { serve } from '../servers.js';

const body = new TextEncoder().encode('[]');
const to = (target: string, headers: [string, string][] = [['Content-Type', 'application/json']], timeoutMs = 5_000) =>
  forward({ target: new URL(target), path: '/', headers, body, timeoutMs });

describe('a delivery that is sent on', () => {
  it('keeps its path and query when the target has none, and never its host', async () => {
    const paths: string[] = [];
    const target = await serve(({ url = '' }, response) => {
      paths.push(url);
      response.end();
    });
    const sent = async (to: string, path: string) =>
      expect(await forward({ target: new URL(to), path, headers: [], body, timeoutMs: 5_000 })).toMatchObject({
        status: 200,
      });
    await sent(target, '/webhooks?shop=1');
    await sent(target, '//other.example/x');
    await sent(`${target}/hooks`, '/webhooks');
    await sent(`${target}/?a`, '/webhooks');
    expect(paths).toEqual(['/webhooks?shop=1', '//other.example/x', '/hooks', '/?a']);
  });

  it('has Host and Content-Length also when it came without them', async () => {
    let seen: string[] = [];
    const target = await serve((request, response) => {
      seen = request.rawHeaders;
      response.end();
    });
    expect(await to(target)).toMatchObject({ status: 200 });
    const { host } = new URL(target);
    const sent = ['Host', host, 'Content-Type', 'application/json', 'Content-Length', '2'];
    expect(seen.slice(0, 6)).toEqual(sent);
  });

  it('is not sent where a header is none that can be sent, and says so', async () => {
    let requests = 0;
    const target = await serve((_, response) => {
      requests++;
      response.end();
    });
    expect(await to(target, [['X-Odd', 'a\nb']])).toEqual({
      ...{ durationMs: expect.any(Number), connected: false },
      code: 'ERR_INVALID_CHAR',
      reason: expect.stringMatching(/^No response from .*: the request failed\.$/),
    });
    expect(requests).toBe(0);
  });

  it('to a target without TLS where TLS is asked for has not been answered', async () => {
    const target = await serve((_, response) => void response.end());
    const { status, reason } = await to(target.replace('http:', 'https:'));
    expect([status, reason]).toEqual([
      undefined,
      expect.stringMatching(/^No response from .*: the server does not speak TLS/),
    ]);
  });
});
