import { expect, it } from 'vitest';
import { event, noting, signed } from '../helpers.js';

const { rawBody, signature, timestamp } = signed([event('a')]);

it.each<[string, object, number, string, RegExp]>([
  ['a parsed body', { rawBody: JSON.parse(rawBody) }, 500, 'ERR_WEBHOOK_RAW_BODY_UNAVAILABLE', /Pass the bytes/],
  ['a number', { rawBody: 7 }, 500, 'ERR_WEBHOOK_RAW_BODY_UNAVAILABLE', /Pass the bytes/],
  ['a boolean', { rawBody: true }, 500, 'ERR_WEBHOOK_RAW_BODY_UNAVAILABLE', /Pass the bytes/],
  [
    'a DataView',
    { rawBody: new DataView(new ArrayBuffer(2)) },
    500,
    'ERR_WEBHOOK_RAW_BODY_UNAVAILABLE',
    /Pass the bytes/,
  ],
  ['null', { rawBody: null }, 403, 'ERR_WEBHOOK_SIGNATURE', /No body was passed/],
  ['no body', { rawBody: undefined }, 403, 'ERR_WEBHOOK_SIGNATURE', /No body was passed/],
  ['a timestamp that is a number', { timestamp: Number(timestamp) }, 403, 'ERR_WEBHOOK_HEADER', /Timestamp must be/],
])('says what is wrong with %s', async (_, changed, status, code, message) => {
  const { receiver, handled } = noting();
  const result = await receiver.handle({ rawBody, signature, timestamp, ...changed } as never);
  expect(result).toMatchObject({ status, error: { code, message: expect.stringMatching(message) } });
  expect(handled).toEqual([]);
});
