import { createTestDelivery, sampleEventEmitted } from 'event-webhook-receiver/testing';
import { expect, it, onTestFinished } from 'vitest';
import { createExplainer, type ExplainerOptions } from '../../src/confined/explainer.js';
import { itemViews } from '../../src/deliveries/item-view.js';
import { explainFailure } from '../../src/explain/explain-failure.js';
import { badThread } from './threads.js';

function explainer(options: ExplainerOptions = {}) {
  const made = createExplainer(options);
  onTestFinished(made.close);
  return made;
}
const rawBody = new TextEncoder().encode(JSON.stringify([sampleEventEmitted()]));
const { signature, timestamp } = createTestDelivery([], { secret: 'whsec-mine' });
const question = { rawBody, signature, timestamp, secret: 'whsec-mine', now: Date.now() };

it('returns the same results as in this process', { timeout: 60_000 }, async () => {
  const { explain, read, first } = explainer();
  expect(await explain(question)).toEqual(explainFailure(question));
  expect(await read(rawBody)).toMatchObject({ events: 1, names: ['Transfer'] });
  const contracts = new Map([['0x5fbdb2315678afecb367f032d93f642f64180aa3', { decimals: 18 }]]);
  const viewed = await first.view(rawBody, contracts);
  expect(viewed?.items).toEqual(itemViews(rawBody, contracts));
  expect(viewed?.contents.names).toEqual(['Transfer']);
});

it('reports what it could not do within its limits, or under too many requests', { timeout: 60_000 }, async () => {
  const hangs = new URL(
    `${badThread}${encodeURIComponent("acts[undefined] = acts.loop;\nparentPort.on('message', acts.loop);")}`,
  );
  const { explain, first, close } = explainer({ thread: hangs, limits: { timeMs: 1000, heapMiB: 64 } });
  const [finding] = await explain(question);
  expect(finding).toMatchObject({ cause: 'explanation-too-costly', what: expect.stringContaining('1 s or 64 MiB') });
  expect(await first.view(rawBody, new Map())).toBeUndefined();
  const asked = Array.from({ length: 102 }, () => explain(question));
  const [note] = (await asked.at(-1)) ?? [];
  // A note, not a guess.
  expect([note?.cause, note?.confidence]).toEqual(['not-explained', undefined]);
  close();
  expect(await asked[0]).toMatchObject([{ cause: 'not-explained', what: expect.stringContaining('ending') }]);
});
