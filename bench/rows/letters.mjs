import { fromBetterSqlite3, sqlStore } from 'event-webhook-receiver/stores/sql';
import Database from 'libsql';
import { pick } from '../lib/effort.mjs';
import { SECRET } from '../lib/fixtures.mjs';
import { createReceiver, sampleEventEmitted } from '../lib/ours.mjs';
import { interleave, summarise } from '../lib/stats.mjs';

const MB = 1_000_000;
const LETTERS = pick(10_000, 10_000, 200);
const FEW = LETTERS / 10;

/** How much live memory the retry of dead letters takes at most, measured at every hundredth letter. */
async function memoryOfRetry(count) {
  const db = new Database(':memory:');
  const store = sqlStore({ db: fromBetterSqlite3(db), transactional: true });
  await store.migrate();
  for (let id = 0; id < count; id++) {
    const event = { ...sampleEventEmitted(), id: String(id) };
    const idempotencyKey = `event.emitted:${id}`;
    await store.letters.fail(idempotencyKey, {
      letter: JSON.stringify({ idempotencyKey, event }),
      ...{ code: 'ERR_WEBHOOK_HANDLER', message: 'No such account.', afterAttempts: 1, afterMs: 0, isUnknown: false },
    });
  }
  const receiver = createReceiver({ secret: SECRET, store, deadLetters: {}, onEvent: () => {} });
  const heap = () => {
    globalThis.gc();
    return process.memoryUsage().heapUsed;
  };
  const before = heap();
  let [peak, seen] = [before, 0];
  const { handled } = await receiver.deadLetters.retry(
    {},
    {
      onResult() {
        if (++seen % 100 === 0) peak = Math.max(peak, heap());
      },
    },
  );
  db.close();
  if (handled !== count) throw new Error(`${handled} of ${count} letters were handled.`);
  return peak - before;
}

export const benchmarks = [
  {
    name: 'retry of dead letters',
    async run() {
      const memory = await interleave({ few: FEW, all: LETTERS }, pick(3, 2, 1), memoryOfRetry);
      const figures = memory.all.map((bytes, round) => bytes / (memory.few[round] + 2 * MB));
      const against = `${FEW} letters + 2 MB`;
      const row = { name: `retry of ${LETTERS} dead letters`, against, measure: 'live memory ×', target: { max: 1 } };
      return [{ ...row, ...summarise(figures) }];
    },
  },
];
