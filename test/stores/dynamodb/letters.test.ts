import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DELIVERY, type LeaseStore, type LetterStore, RETRY } from '../../../src/stores/store.js';
import { failure } from '../../contracts/letters.js';
import { failing, unique } from '../../contracts/store-helpers.js';
import { type Front, startFront } from '../../servers/http-front.js';
import { once } from '../calls.js';
import { hasDynamoDB, needsDynamoDB, type Opened, refusal, useMemory } from './server.js';

const NOW = { afterAttempts: 1 };
const KB = 1024;

describe.skipIf(!hasDynamoDB)(`dead letters in DynamoDB${needsDynamoDB}`, { timeout: 30_000 }, () => {
  const { open, server } = useMemory();
  let front: Front;
  beforeEach(async () => {
    front = await startFront(server().url);
  });
  afterEach(() => front.stop());

  const lettersOf = (opened: Opened) => opened.lease().letters as LetterStore;

  it('shows people what failed, and lets only a count expire', async () => {
    const opened = open('DynamoDBDocument');
    const letters = lettersOf(opened);
    const key = unique();
    const failed = await letters.fail(key, failure({ source: 'mainnet', message: 'a\0b' }));
    const counted = { attempts: 1, firstFailedAt: failed?.firstFailedAt, source: 'mainnet', errorMessage: 'a\ufffdb' };
    expect(await opened.item(key)).toMatchObject({ ...counted, expiresAt: expect.any(Number) });
    expect(await opened.item(key)).not.toHaveProperty('letter');
    await letters.fail(key, failure({ ...NOW, letter: '{}' }));
    const item = await opened.item(key);
    expect(item).toMatchObject({ attempts: 2, errorCode: 'ERR_WEBHOOK_HANDLER', letter: '{}' });
    for (const gone of ['expiresAt', 'until', 'source']) expect(item).not.toHaveProperty(gone);
  });

  it('refuses a letter that is larger than an item may be, and changes nothing', async () => {
    const letters = lettersOf(open('DynamoDB'));
    const key = unique();
    await letters.fail(key, failure());
    const refused = { code: 'ERR_WEBHOOK_STORE', message: expect.stringContaining('too large for a dead letter') };
    const large = failure({ ...NOW, letter: 'x'.repeat(401 * KB) });
    await expect(letters.fail(key, large)).rejects.toMatchObject(refused);
    expect(await letters.fail(key, failure())).toMatchObject({ attempts: 2, isDead: false });
  });

  it('counts a failure once that the client sends twice', async () => {
    const letters = lettersOf(open('DynamoDB', { maxAttempts: 3 }, front.url));
    const key = unique();
    for (const attempts of [1, 2]) {
      let isCut = false;
      front.onRequest(({ operation, body }) => {
        if (isCut || operation !== 'UpdateItem' || body.includes('failureRead') !== attempts > 1) return undefined;
        isCut = true;
        return 'cut';
      });
      expect(await letters.fail(key, failure({ afterAttempts: 2 }))).toMatchObject({ attempts });
    }
    expect((await letters.look([key])).get(key)).toMatchObject({ attempts: 2 });
  });

  it('reads nothing for an event that is handled, and keeps no letter of it', async () => {
    const opened = open('DynamoDB', {}, front.url);
    const store = opened.lease() as LeaseStore;
    const [key, owner] = [unique(), crypto.randomUUID()];
    await lettersOf(open('DynamoDB')).fail(key, failure(NOW));
    await store.claim([key], owner, RETRY);
    await store.record([key], owner, RETRY);
    expect(front.asked.map(({ operation }) => operation)).toEqual(['UpdateItem', 'UpdateItem']);
    expect(await opened.item(key)).not.toHaveProperty('letter');
  });

  it('frees a key that has failed in a transaction whose outcome must be found out', async () => {
    const store = open('DynamoDB', { maxAttempts: 1 }, front.url).transactional({ timeoutMs: 1000 });
    const letters = store.letters as LetterStore;
    const key = unique();
    await letters.fail(key, failure());
    front.onRequest(({ operation }) =>
      operation === 'TransactWriteItems' ? refusal('ThrottlingException') : undefined,
    );
    await expect(once(store, key, async () => {})).rejects.toMatchObject({ code: 'ERR_WEBHOOK_STORE' });
    front.onRequest(() => undefined);
    await expect(once(store, key, failing)).rejects.toThrow('the run failed');
    expect(await letters.fail(key, failure())).toMatchObject({ attempts: 2 });
  });

  it('goes on with the list where a page ended, also if the letter there is gone', async () => {
    const letters = lettersOf(open('DynamoDBDocument'));
    const source = unique();
    const keys = Array.from({ length: 4 }, unique);
    for (const key of keys) await letters.fail(key, failure({ ...NOW, source }));
    const { letters: page, next } = await letters.list({ source, limit: 2 });
    await letters.discard([...page.keys()]);
    const rest = await letters.list({ source, after: next, limit: 10 });
    expect([...page.keys(), ...rest.letters.keys()].sort()).toEqual(keys.sort());
    expect(rest.next).toBeUndefined();
  });

  it('says which permission the list needs', async () => {
    front.onRequest(({ operation }) => (operation === 'Scan' ? refusal('AccessDeniedException') : undefined));
    const denied = { code: 'ERR_WEBHOOK_STORE', message: expect.stringContaining('dynamodb:Scan') };
    await expect(lettersOf(open('DynamoDB', {}, front.url)).list({ limit: 1 })).rejects.toMatchObject(denied);
  });

  it('forgets a count that has expired, although DynamoDB has not deleted it', async () => {
    const store = open('DynamoDB').lease({ retentionMs: 1, clockSkewMs: 0 }) as LeaseStore;
    const key = unique();
    await store.letters?.fail(key, failure());
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await store.letters?.fail(key, failure())).toMatchObject({ attempts: 1 });
    expect((await store.claim([key], crypto.randomUUID(), DELIVERY)).get(key)).toEqual({});
  });
});
