import { createReceiver } from 'event-webhook-receiver';
import { expressHandler } from 'event-webhook-receiver/express';
import { createTestDelivery } from 'event-webhook-receiver/testing';
import express from 'express';
import { describe, expect, it } from 'vitest';
import { answerFindings } from '../../src/deliveries/answer-findings.js';
import type { HeaderLine } from '../../src/deliveries/delivery-record.js';
import { forward } from '../../src/listener/forward.js';
import { serve } from '../servers.js';
import { responseOf } from './answers.js';

const url = 'http://127.0.0.1:3000/api/hooks?x=1';
const found = (status: number | undefined, body = '', headers: HeaderLine[] = [], secrets: string[] = []) =>
  answerFindings({ at: 0, headers: [], status, response: responseOf(body, headers) }, { url, secrets });
const causes = (...args: Parameters<typeof found>) => found(...args).map(({ cause }) => cause);

describe('answerFindings', () => {
  it('finds nothing where the app accepted, did not answer, or says nothing', () => {
    expect(found(204, 'ERR_WEBHOOK_STORE')).toEqual([]);
    expect(found(undefined)).toEqual([]);
    expect(found(403)).toEqual([]);
    expect(found(500, '<html><title>500 Internal Server Error</title>')).toEqual([]);
    expect(answerFindings({ at: 0, headers: [], status: 500 })).toEqual([]);
  });

  it('names the code of this library that the app answers, with its fix', () => {
    const [finding, ...others] = found(503, '{"code":"ERR_WEBHOOK_STORE","message":"Connection refused by Redis"}');
    expect(finding).toEqual({
      cause: 'app-said',
      what: 'The app answered ERR_WEBHOOK_STORE: Connection refused by Redis',
      confidence: 'certain',
      fix: expect.stringContaining('event-webhook-receiver/docs/errors.md#err_webhook_store'),
    });
    expect(others).toEqual([]);
    expect(found(500, 'ERR_WEBHOOK_STORE')[0]?.what).toBe('The app answered ERR_WEBHOOK_STORE.');
    expect(found(500, '', [['X-Error', 'ERR_WEBHOOK_HANDLER']])[0]?.what).toBe('The app answered ERR_WEBHOOK_HANDLER.');
  });

  it.each([
    ['another secret', { secret: 'whsec-b' }, 'ERR_WEBHOOK_SIGNATURE'],
    ['a clock that is ahead', { secret: 'whsec-a', now: () => Date.now() + 3_600_000 }, 'ERR_WEBHOOK_TIMESTAMP'],
  ])('recognizes the message of a receiver with %s', async (_, options, code) => {
    const messages: string[] = [];
    const onError = ({ message }: Error) => messages.push(message);
    const receiver = createReceiver({ ...options, onEvent: () => {}, onError });
    const { rawBody: body, signature, timestamp } = createTestDelivery([], { secret: 'whsec-a' });
    await receiver.handle({ rawBody: body, signature, timestamp });
    expect(found(403, messages[0])[0]).toMatchObject({ cause: 'app-said', confidence: 'certain' });
    expect(found(403, messages[0])[0]?.what).toContain(`answered ${code}: `);
  });

  it.each<[string, number, string, HeaderLine[]?]>([
    ['a line', 500, 'expected whsec-mine'],
    ['a line with a code', 500, 'ERR_WEBHOOK_SECRET whsec-mine'],
    ['a line that is cut within it', 500, `${'x '.repeat(146)}whsec-mine`],
    ['JSON that escapes it', 500, '{"message":"expected whsec\\u002dmine"}'],
    ['HTML that escapes it', 500, '<html><title>expected whsec&#45;mine</title>'],
    ['a redirect', 302, '', [['Location', 'https://other.example/?key=whsec-mine']]],
    ['a rate limit', 429, '', [['Retry-After', 'whsec-mine']]],
  ])('hides a secret in %s', (_, status, body, headers = []) => {
    const [finding] = found(status, body, headers, ['', 'whsec-mine']);
    expect(finding?.what).toMatch(/\[sec/);
    expect(JSON.stringify(finding)).not.toContain('whsec');
  });

  it.each([
    ['a route that does not exist', [404, 'Cannot POST /api/hooks'], 'route-not-found'],
    ['a route for GET', [405], 'method-not-allowed'],
    ['a limit of the size', [413], 'app-limits-size'],
    ['a Content-Type', [415], 'content-type-refused'],
    ['a rate limit', [429], 'rate-limited'],
    ['a rate limit with a time', [429, '', [['Retry-After', '30']]], 'rate-limited'],
    ['a password', [401, '', [['WWW-Authenticate', 'Basic']]], 'behind-login'],
    ['a login page', [401, '<html><title>Log in</title>'], 'behind-login'],
    ['a redirect to a login', [302, '', [['Location', '/login?next=/hooks']]], 'behind-login'],
    ['another redirect', [308, '', [['Location', 'https://x/hooks/']]], 'redirected'],
    ['a redirect to nowhere', [301], 'redirected'],
    ['CSRF protection', [403, 'CSRF verification failed.'], 'csrf-protection'],
    ['CSRF protection of Rails', [422, 'InvalidAuthenticityToken: authenticity token'], 'csrf-protection'],
  ] as [string, Parameters<typeof found>, string][])('recognizes %s', (_, answer, cause) => {
    expect(causes(...answer)).toEqual([cause]);
  });

  it('names the path that is not mounted, without its query', () => {
    expect(found(404)[0]?.what).toBe('Nothing is mounted at /api/hooks of the app: check path and prefix.');
    const [finding] = answerFindings({ at: 0, headers: [], status: 404 }, { url: 'nonsense' });
    expect(finding?.what).toContain('this path');
    expect(answerFindings({ at: 0, headers: [], status: 405 })[0]?.what).toContain('this path');
  });
});

it('the answer of Express that parsed the body first says to mount the route before express.json()', async () => {
  const route = expressHandler({ secret: 'whsec-x', onEvent: () => {} });
  const target = new URL('/hooks', await serve(express().use(express.json()).post('/hooks', route)));
  const headers: HeaderLine[] = [['Content-Type', 'application/json']];
  const sent = await forward({ target, headers, body: new TextEncoder().encode('[]'), path: '/', timeoutMs: 5_000 });
  const attempt = { at: 0, headers: [], status: sent.status, response: await sent.response };
  const [finding] = answerFindings(attempt, { url: target.href });
  expect(finding).toMatchObject({ cause: 'app-said', confidence: 'certain' });
  expect(finding?.what).toMatch(
    /^The app answered ERR_WEBHOOK_RAW_BODY_UNAVAILABLE: RawBodyUnavailableError: The body/,
  );
  expect(finding?.fix).toContain('mount the webhook route before express.json()');
});
