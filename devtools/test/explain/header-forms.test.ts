import { expect, it } from 'vitest';
import { explainWithin } from '../../src/explain/explain-failure.js';
import { createWork } from '../../src/explain/search.js';
import { delivery, received, timestamp } from './received.js';

const { signature } = delivery;
const base64 = Buffer.from(signature, 'hex').toString('base64');
const other = signature.replace(/./g, 'a');

/** The findings about headers whose body was not read. */
const explain = (changes: object) =>
  explainWithin({ ...received({ rawBody: '', ...changes }), bodyUnread: true }, createWork());
const causes = (changes: object) => explain(changes).map(({ cause, confidence }) => `${cause} ${confidence}`);

it.each<[string, string, string[]]>([
  ['the same twice', `${signature},${signature}`, ['signature-repeated']],
  ['the same three times', `${signature}, ${signature}, ${signature}`, ['signature-repeated']],
  ['two others', `${signature}, ${other}`, ['signature-repeated']],
  ['twice in base64', `${base64}, ${base64}`, ['signature-repeated', 'signature-base64']],
  ['base64', base64, ['signature-base64']],
  ['base64url', base64.replace(/=/g, '').replace(/\+/g, '-').replace(/\//g, '_'), ['signature-base64']],
  ['0x', `0x${signature}`, ['signature-prefixed']],
  ['0X', `0X${signature.toUpperCase()}`, ['signature-prefixed']],
  ['sha256=', `sha256=${signature}`, ['signature-prefixed']],
  ['v1=', `v1=${signature}`, ['signature-prefixed']],
  ['quotes', `"${signature}"`, ['signature-quoted']],
  ['quotes around a prefix', `"sha256=${signature}"`, ['signature-quoted', 'signature-prefixed']],
  ['half', signature.slice(0, 32), ['signature-truncated']],
  ['all but one digit', signature.slice(1), ['signature-truncated']],
  ['a prefix and half', `sha256=${signature.slice(0, 32)}`, ['signature-prefixed', 'signature-truncated']],
  ['as long as SHA-1', signature.slice(0, 40), ['signature-other-hash']],
  ['as long as SHA-512', signature + other, ['signature-other-hash']],
  [
    'as long as SHA-512, in base64',
    Buffer.from(signature + other, 'hex').toString('base64'),
    ['signature-base64', 'signature-other-hash'],
  ],
  ['one digit too many', `${signature}0`, ['signature-longer']],
  ['a word', 'signature', ['signature-form']],
  ['as Stripe writes it', `t=${timestamp},v1=${signature}`, ['signature-of-another-scheme']],
  ['as Stripe writes it, with two secrets', `t=1,v1=${signature},v1=${signature}`, ['signature-of-another-scheme']],
  ['as Svix writes it', `v1,${base64}`, ['signature-of-another-scheme']],
  ['as GitHub writes something else', 'sha256=what', ['signature-of-another-scheme']],
])('tells the form of a signature without a body: %s', (_, given, expected) => {
  expect(causes({ signature: given })).toEqual(expected.map((cause) => `${cause} likely`));
});

it('says nothing of the body, and nothing of well-formed headers', () => {
  expect(causes({})).toEqual([]);
  expect(causes({ timestamp: `${timestamp},${timestamp}` })).toEqual(['timestamp-repeated likely']);
});
