import { compareTime } from '../lib/compare.mjs';
import { pick } from '../lib/effort.mjs';
import { bodyOf } from '../lib/fixtures.mjs';
import { parseDelivery } from '../lib/ours.mjs';

function benchmark(kind, count) {
  const name = `parseDelivery ${count} ${kind}`;
  return {
    name,
    async run() {
      const bytes = bodyOf(kind, count);
      const ours = () => parseDelivery(bytes).length === count;
      const bare = () => JSON.parse(bytes.toString()).length === count;
      const large = count > 1000;
      const result = await compareTime(ours, bare, pick(large ? 11 : 41, 7));
      return [{ name, against: 'JSON.parse', measure: 'time ×', target: { max: large ? 1.2 : 1.15 }, ...result }];
    },
  };
}

export const benchmarks = ['event.emitted', 'transaction.included'].flatMap((kind) =>
  [1, 10, 100, 10_000].map((count) => benchmark(kind, count)),
);
