import { createTestDelivery, sampleEventEmitted } from 'event-webhook-receiver/testing';
import { expect, it } from 'vitest';
import { tasks } from '../../src/confined/explain-tasks.js';

const secret = 'whsec-mine';
const { rawBody, signature, timestamp } = createTestDelivery([sampleEventEmitted()], { secret });
const bytes = new TextEncoder().encode(rawBody);

it('the tasks of the thread explain, summarize and decode a delivery', () => {
  expect(tasks.explain({ rawBody, signature, timestamp, secret: `${secret}\n` })[0]?.cause).toBe('secret-whitespace');
  expect(tasks.read(bytes)).toMatchObject({ bytes: bytes.byteLength, names: ['Transfer'] });
  expect(tasks.view(bytes, new Map())).toMatchObject({ contents: { events: 1 }, items: [{ name: 'Transfer' }] });
});
