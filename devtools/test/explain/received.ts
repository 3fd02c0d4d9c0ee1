import { type ExplainFailureOptions, explainFailure } from '../../src/explain/index.js';
import { deliver, NOW } from './deliveries.js';
import type { Received } from './mistake.js';

export const secret = 'rXv0pQ7LkYw2TnZs5dJc8HgB3fMa6UeE';
export const timestamp = String(NOW / 1000 - 2);
export const delivery = deliver(
  [{ id: '1', event: 'event.emitted', data: { name: 'Größe <&> 1' } }],
  secret,
  timestamp,
);
export const received = (changes: Received = {}): Received => ({
  rawBody: delivery.body,
  signature: delivery.signature,
  timestamp,
  secret,
  now: NOW,
  ...changes,
});
export const explain = (changes: Received = {}) =>
  explainFailure(received(changes) as unknown as ExplainFailureOptions);
export const causes = (changes: Received = {}) =>
  explain(changes).map((finding) => `${finding.cause}: ${finding.confidence}`);
export const again = JSON.stringify(JSON.parse(delivery.body));
