import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createReceiver, type EventContext, type SecretRequest, type WebhookEvent } from '../../src/index.js';
import { event, noting, secret, signed } from '../helpers.js';

const tenants: Record<string, string> = { a: 'whsec-a', b: 'whsec-b' };
const from = (tenant: string): SecretRequest => ({
  header: (name) => (name === 'x-tenant' ? tenant : undefined),
  url: `/webhooks/${tenant}`,
});

/** A receiver for two tenants that looks up which by a header. */
function shared(idempotencyKey?: (event: WebhookEvent) => string) {
  const seen: [id: string, context: EventContext][] = [];
  const receiver = createReceiver({
    toleranceSeconds: false,
    secret: (request) => {
      const source = request.header('x-tenant') ?? '';
      const found = tenants[source];
      return found === undefined ? undefined : { secret: found, source };
    },
    idempotencyKey,
    onEvent: ({ id }, context) => seen.push([id, context]),
  });
  const deliver = (tenant: string, events: readonly unknown[], with_ = tenants[tenant] ?? 'none') =>
    receiver.handle({ ...signed(events, { secret: with_ }), request: from(tenant) });
  return { deliver, seen };
}

describe('a secret function of the request', () => {
  it('names the source, which is in the context and begins every key', async () => {
    const { deliver, seen } = shared();
    await deliver('a', [event('1')]);
    expect(seen[0]?.[1]).toMatchObject({ source: 'a', idempotencyKey: 'a::event.emitted:1' });
  });

  it('keeps a source from suppressing the events of another by signing their ids', async () => {
    const { deliver, seen } = shared();
    expect((await deliver('a', [event('1')])).outcomes).toMatchObject([{ status: 'handled' }]);
    expect((await deliver('b', [event('1')])).outcomes).toMatchObject([{ status: 'handled' }]);
    expect((await deliver('a', [event('1')])).outcomes).toMatchObject([{ status: 'duplicate' }]);
    expect(seen.map(([id, { source }]) => [source, id])).toEqual([
      ['a', '1'],
      ['b', '1'],
    ]);
  });

  it('is 403 for a source whose secret did not sign it, and for one that it does not know', async () => {
    const { deliver, seen } = shared();
    expect(await deliver('a', [event('1')], tenants.b)).toMatchObject({ status: 403 });
    expect(await deliver('c', [event('1')])).toMatchObject({
      status: 403,
      error: { code: 'ERR_WEBHOOK_SIGNATURE', message: expect.stringContaining('returned no secret') },
    });
    expect(seen).toEqual([]);
  });
});

describe('idempotency keys', () => {
  it.each([
    ['k', undefined, 'k'],
    ['a::k', undefined, '::a::k'],
    ['k', 'shop', 'shop::k'],
    ['k', 'a:b%c', 'a%3Ab%25c::k'],
    ['a::k', 'shop', 'shop::a::k'],
  ])('%j of the source %j is %j', async (own, source, whole) => {
    const { receiver } = noting({
      secret: () => (source === undefined ? secret : { secret, source }),
      idempotencyKey: () => own,
    });
    expect((await receiver.handle(signed([event('a')]))).outcomes).toMatchObject([{ idempotencyKey: whole }]);
  });

  it.each([
    [undefined, 'undefined'],
    ['', 'an empty string'],
    [7, 'a number'],
    [['k'], 'an array'],
    [Promise.resolve('k'), 'an object'],
  ])('cannot be %j', async (own, name) => {
    const { receiver } = noting({ idempotencyKey: () => own as never });
    expect((await receiver.handle(signed([event('a')]))).error?.cause).toEqual(
      new TypeError(`\`idempotencyKey\` must return a non-empty string synchronously, got ${name}.`),
    );
  });

  it('are never one for two sources, or for one and none, whatever the sources and ids', async () => {
    const part = fc.oneof(
      fc.constantFrom('event.emitted', 'a', 'a:event.emitted', ':', '::', 'a::', '::a', '%', '%3A'),
      fc.string({ unit: fc.constantFrom('a', ':', '%', '3', 'A', '.'), minLength: 1, maxLength: 6 }),
    );
    const one = fc.record({ source: fc.option(part, { nil: undefined }), id: part });
    const keyOf = async ({ source, id }: { source: string | undefined; id: string }, isOwn: boolean) => {
      const { receiver } = noting({
        secret: () => (source === undefined ? secret : { secret, source }),
        idempotencyKey: isOwn ? (each) => each.id : undefined,
      });
      return (await receiver.handle(signed([event(id)]))).outcomes[0]?.idempotencyKey;
    };
    await fc.assert(
      fc.asyncProperty(one, one, fc.boolean(), async (first, second, isOwn) => {
        const isSame = first.source === second.source && first.id === second.id;
        expect((await keyOf(first, isOwn)) === (await keyOf(second, isOwn))).toBe(isSame);
      }),
      { numRuns: 300 },
    );
  });
});
