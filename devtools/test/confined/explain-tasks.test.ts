import { createTestDelivery, sampleEventEmitted } from 'event-webhook-receiver/testing';
import { expect, it } from 'vitest';
import { perform } from '../../src/confined/explain-tasks.js';
import { explainFailure } from '../../src/explain/explain-failure.js';

const rawBody = new TextEncoder().encode(JSON.stringify([sampleEventEmitted()]));
const { signature, timestamp } = createTestDelivery([], { secret: 'whsec-mine' });

it('explains as explainFailure does', { timeout: 60_000 }, () => {
  const asked = { rawBody, signature, timestamp, secret: 'whsec-mine', now: Date.now() };
  expect(perform({ kind: 'explain', asked })).toEqual(explainFailure(asked));
});

it('reads what is printed and listed of a body', () => {
  expect(perform({ kind: 'read', asked: rawBody })).toMatchObject({
    ...{ bytes: rawBody.byteLength, events: 1, names: ['Transfer'] },
  });
});

it('decodes the items of a body', () => {
  expect(perform({ kind: 'view', asked: { rawBody, contracts: new Map() } })).toMatchObject({
    contents: { events: 1 },
    items: [{ status: 'event', name: 'Transfer' }],
  });
});

it('compares bodies', () => {
  expect(perform({ kind: 'compare', asked: { signed: rawBody, received: rawBody.slice(1) } })).toMatchObject({
    kind: 'bytes',
    bytes: [{ signed: { at: 0, text: '[' } }],
  });
});
