import { expect, it } from 'vitest';
import type { ReadBy } from '../../src/explain/body-faults.js';
import { explainWithin } from '../../src/explain/explain-failure.js';
import { createWork } from '../../src/explain/search.js';
import { bodyMistakes } from './body-mistakes.js';
import { sign } from './deliveries.js';
import { receivedWith } from './mistake.js';
import { again, delivery, received, secret, timestamp } from './received.js';

const first = (changes: object, readBy?: ReadBy) => explainWithin({ ...received(changes), readBy }, createWork())[0];
const ofApp = /express|mount|handler|Buffer|toString|\w\(|echo|heredoc|Lambda|parser/i;

it.each(bodyMistakes.map((mistake) => [mistake.title, mistake] as const))(
  'names the sender and a proxy, and no parser, where the body was read as it arrived: %s',
  { timeout: 60_000 },
  (_, mistake) => {
    const { what, ...asked } = { what: '', ...receivedWith(mistake, delivery), secret };
    const [found] = explainWithin({ ...asked, readBy: 'listener' }, createWork());
    expect(found?.cause).toMatch(/^body-/);
    expect(found?.fix).toMatch(/\bhave the sender /i);
    expect(found?.fix).not.toMatch(ofApp);
    expect(found?.fix.split('. ').length).toBeLessThanOrEqual(2);
    if (found?.cause !== 'body-with-timestamp')
      expect(found?.fix).toMatch(/for this path in the proxy, gateway or fire/);
  },
);

it('adds the app, where a receiver in it may have been given the bytes', () => {
  expect(first({ rawBody: again }, 'receiver')?.fix).toMatch(
    /^Turn off .*\. Or have the sender .* If your app fills `rawBody`/,
  );
  expect(first({ rawBody: again })?.fix).toContain('express.json');
});

it('says what drops a body: a redirect, a limit, a separator that is none', () => {
  expect(first({ rawBody: '' }, 'listener')?.fix).toMatch(/redirect drops it/);
  expect(first({ rawBody: delivery.body.slice(0, 20) }, 'listener')?.fix).toMatch(/size limit/);
  const signature = sign(secret, delivery.body, '\n', timestamp);
  expect(first({ signature }, 'listener')?.fix).toMatch(/nothing between body and timestamp/);
});
