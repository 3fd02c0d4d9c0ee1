import { serviceHeaders } from 'event-webhook-receiver/verify';
import { expect, it, onTestFinished } from 'vitest';
import { addCauses, causeOf, whyOf } from '../../src/deliveries/causes.js';
import { createFeed } from '../../src/deliveries/feed.js';
import { ageText } from '../../src/explain/text.js';
import { recordOf, SECRET } from './records.js';

const finding = (cause: string, what = 'What.') => ({ cause, what, confidence: 'certain' as const, fix: 'Fix.' });

it.each([
  ['timestamp-stale', 'stale by 50 min'],
  ['timestamp-ahead', 'timestamp 50 min ahead'],
  ['secret-quoted', 'secret quoted'],
])('%s is a cause in a few words: %s', (id, text) => {
  expect(causeOf([finding('fault-on-request'), finding(id)], 3_000_000)).toEqual({ id, text });
});

it('quotes what the app said, and knows no cause where nothing was explained', () => {
  const said = finding('app-said', 'The app answered 500: relation "orders" does not exist');
  expect(causeOf([said], 0)?.text).toBe('relation "orders" does not exist');
  const code = finding('app-said', 'The app answered ERR_WEBHOOK_RAW_BODY_UNAVAILABLE.');
  expect(causeOf([code], 0)?.text).toBe('app error: raw body unavailable');
  expect(causeOf([code, finding('secret-quoted')], 0)?.text).toBe('secret quoted');
  expect(causeOf([finding('not-explained')], 0)).toBeUndefined();
  expect(causeOf([finding('fault-on-request')], 0)?.text).toBe('fault on request');
});

it('gives ages in their largest unit', () => {
  const texts = [0, 119_000, 3_000_000, 9_000_000, 5 * 86_400_000, 1e12].map(ageText);
  expect(texts).toEqual(['0 s', '119 s', '50 min', '3 h', '5 days', '32 years']);
});

it('explains each attempt once, and none that was accepted', async () => {
  const feed = createFeed();
  let asked = 0;
  const explain = async () => [finding(asked++ === 0 ? 'secret-quoted' : 'body-hex')];
  const sources = { headers: serviceHeaders, secretOf: () => SECRET };
  onTestFinished(addCauses({ feed, sources, explain }));
  feed.put(recordOf('1'));
  const refused = recordOf('2', { attempt: { status: 403 } });
  feed.put(refused);
  await expect.poll(() => feed.get('2')?.cause).toEqual({ id: 'secret-quoted', text: 'secret quoted' });
  feed.put({ ...refused, attempts: [...refused.attempts, { at: 1, headers: [], status: 403 }] });
  await expect.poll(() => feed.get('2')?.cause?.id).toBe('body-hex');
  expect([feed.get('1')?.cause, asked]).toEqual([undefined, 2]);
});

it('keeps what explains an attempt, but not that it could not be explained', async () => {
  const feed = createFeed();
  feed.put(recordOf('1', { attempt: { status: 403 } }));
  const answers = ['not-explained', 'secret-quoted', 'body-hex'];
  const ask = async () => {
    const record = feed.get('1');
    if (!record) throw new Error('not kept');
    const sources = { headers: serviceHeaders, secretOf: () => SECRET };
    return (await whyOf(record, sources, async () => [finding(answers.shift() ?? '')])).cause?.id;
  };
  expect([await ask(), await ask(), await ask()]).toEqual([undefined, 'secret-quoted', 'secret-quoted']);
});
